/** What a TLS connection to a server is made with: read and checked once, so that a wrong file shows at configure and not as a lost connection. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import type { BackendParameters } from '../config/schema.js';
import { TritonError, textOf } from './triton-error.js';

export interface Security {
  /** What to look at when no connection can be made. */
  readonly remedy: string;
  readonly credentials: ChannelCredentials;
  /** The name that the server's certificate has to be issued for; absent: the host of the endpoint. */
  readonly serverName?: string;
}

export const INSECURE: Security = {
  credentials: credentials.createInsecure(),
  remedy: 'start the server, or correct the endpoint',
};

type TlsParameters = NonNullable<BackendParameters['tls']>;
type FileKey = 'ca_file' | 'certificate_file' | 'key_file';

/** Far above any chain of certificates. */
const MAX_FILE_BYTES = 1024 * 1024;

const PURPOSE: Readonly<Record<FileKey, string>> = {
  ca_file: "the certificates of the authorities that may sign the server's, in PEM form",
  certificate_file: 'the certificate of this node, with those that signed it behind it, in PEM form',
  key_file: 'the private key to certificate_file, in PEM form and without a passphrase',
};

/**
 * @param backend its name in the parameters, for errors
 * @param tls absent: in clear
 * @throws {TritonError} `tls`, with the parameter, the file, and what belongs there
 */
export function readSecurity(backend: string, tls: TlsParameters | undefined): Security {
  if (tls === undefined) return INSECURE;
  const file = (key: FileKey, name: string) => new PemFile(`backends.${backend}.tls.${key}`, path.resolve(name), PURPOSE[key]);
  const authorities = file('ca_file', tls.ca_file);
  authorities.certificates();
  const certificate = tls.certificate_file === undefined ? undefined : file('certificate_file', tls.certificate_file);
  const key = tls.key_file === undefined ? undefined : file('key_file', tls.key_file);
  if (certificate !== undefined && key !== undefined) checkPair(certificate, key);
  const serverName = tls.server_name;
  const shown = certificate === undefined ? 'does not ask for a certificate of this node' : 'accepts the certificate of this node';
  return {
    credentials: credentials.createSsl(authorities.content, key?.content, certificate?.content),
    remedy: `start the server, see that it speaks TLS and ${shown}, or correct endpoint and tls of this backend`,
    ...(serverName === undefined ? {} : { serverName }),
  };
}

/** A key that belongs to another certificate is refused by the server without a word of why. */
function checkPair(certificate: PemFile, key: PemFile): void {
  const [own] = certificate.certificates();
  if (own?.checkPrivateKey(key.privateKey()) !== true) throw key.wrong(`is not the key to the first certificate in ${certificate.name}`);
}

class PemFile {
  readonly name: string;
  readonly content: Buffer;
  readonly #parameter: string;
  readonly #purpose: string;

  /** @throws {TritonError} `tls` */
  constructor(parameter: string, name: string, purpose: string) {
    this.name = name;
    this.#parameter = parameter;
    this.#purpose = purpose;
    this.content = this.#read();
  }

  /** At least one. @throws {TritonError} `tls` */
  certificates(): readonly X509Certificate[] {
    const blocks = this.content.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    if (blocks.length === 0) throw this.wrong('holds no certificate');
    try {
      return blocks.map((block) => new X509Certificate(block));
    } catch (error) {
      throw this.wrong(`holds a certificate that cannot be read (${textOf(error)})`, error);
    }
  }

  /** @throws {TritonError} `tls` */
  privateKey(): KeyObject {
    try {
      return createPrivateKey(this.content);
    } catch (error) {
      throw this.wrong(`holds no private key that can be used (${textOf(error)})`, error);
    }
  }

  wrong(what: string, cause?: unknown): TritonError {
    return new TritonError('tls', `${this.#parameter}: ${this.name} ${what}: expected ${this.#purpose}`, cause);
  }

  #read(): Buffer {
    let content: Buffer;
    try {
      content = readFileSync(this.name);
    } catch (error) {
      throw this.wrong(`cannot be read (${textOf(error)})`, error);
    }
    if (content.length > MAX_FILE_BYTES) throw this.wrong(`has ${content.length} bytes`);
    return content;
  }
}
