/** An authority and certificates that it signed, made for one test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';

export interface Signed {
  /** Files in PEM form. */
  readonly certificate: string;
  readonly key: string;
}

interface Identity {
  readonly certificate: forge.pki.Certificate;
  readonly keys: forge.pki.rsa.KeyPair;
}

const DAY_MS = 86_400_000;

export class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), 'vig-tls-'));
  /** Its own certificate, in PEM form. */
  readonly file: string;
  readonly #own: Identity;
  #serial = 1;

  constructor(name = 'authority') {
    this.#own = this.#make(name, undefined, [
      { name: 'basicConstraints', critical: true, cA: true },
      { name: 'keyUsage', keyCertSign: true },
    ]);
    this.file = this.#write('ca', this.#own).certificate;
  }

  /** @param host a DNS name, which the certificate is issued for */
  sign(host: string): Signed {
    const extensions = [
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ];
    return this.#write(`own-${this.#serial}`, this.#make(host, this.#own, extensions));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  #make(name: string, issuer: Identity | undefined, extensions: object[]): Identity {
    const keys = forge.pki.rsa.generateKeyPair(2048);
    const certificate = forge.pki.createCertificate();
    certificate.publicKey = keys.publicKey;
    certificate.serialNumber = `0${this.#serial}`;
    this.#serial += 1;
    certificate.validity.notBefore = new Date(Date.now() - DAY_MS);
    certificate.validity.notAfter = new Date(Date.now() + DAY_MS);
    certificate.setSubject([{ name: 'commonName', value: name }]);
    certificate.setIssuer(issuer === undefined ? [{ name: 'commonName', value: name }] : issuer.certificate.subject.attributes);
    certificate.setExtensions(extensions);
    certificate.sign((issuer?.keys ?? keys).privateKey, forge.md.sha256.create());
    return { certificate, keys };
  }

  #write(name: string, { certificate, keys }: Identity): Signed {
    const files = { certificate: join(this.folder, `${name}.pem`), key: join(this.folder, `${name}.key`) };
    writeFileSync(files.certificate, forge.pki.certificateToPem(certificate));
    writeFileSync(files.key, forge.pki.privateKeyToPem(keys.privateKey), { mode: 0o600 });
    return files;
  }
}
