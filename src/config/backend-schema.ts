/** `backends.<name>`: one inference server, or one part of it, and how much it runs at a time. */
import { z } from 'zod';
import { TRUST } from '../core/configuration.js';
import { duration, field, MAX_DURATION_MS, real, whole } from './field.js';

/** Two logical models, the smaller name need not come first. */
export const CORUN_PAIR = /^([^|\s]+)\|([^|\s]+)$/;

/** Given, the server is reached over TLS. */
const tlsSchema = z.strictObject({
  ca_file: field(z.string().min(1), {
    description:
      'Given, the server is reached over TLS, and its certificate has to be signed by one of those in this file. All files are read and checked at configure.',
    expects: 'a file in PEM form; for the authorities of the system usually /etc/ssl/certs/ca-certificates.crt',
    sample: '/etc/vig/ca.pem',
  }),
  certificate_file: field(z.exactOptional(z.string().min(1)), {
    description: 'Certificate by which this node proves who it is (mutual TLS), with those that signed it behind it; goes with key_file.',
    whenAbsent: 'the node shows none',
    expects: 'a file in PEM form',
    sample: '/etc/vig/governor.pem',
  }),
  key_file: field(z.exactOptional(z.string().min(1)), {
    description: 'Private key to certificate_file.',
    whenAbsent: 'the node shows no certificate',
    expects: 'a file in PEM form, without a passphrase',
    sample: '/etc/vig/governor.key',
  }),
  server_name: field(z.exactOptional(z.string().regex(/^[A-Za-z0-9._-]{1,253}$/)), {
    description: "Name that the server's certificate has to be issued for.",
    whenAbsent: 'the host of the endpoint',
    expects: 'a host name without a port',
    sample: 'triton.local',
  }),
});

export const backendSchema = z.strictObject({
  type: field(z.enum(['triton', 'reference']).default('triton'), {
    description: 'Which server it is. Both speak KServe v2 and are driven alike; hints say how to start this one.',
  }),
  endpoint: field(
    z
      .string()
      .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/)
      .default('127.0.0.1:8001'),
    { description: 'Address of the gRPC service.', expects: 'host:port of the gRPC service, without http://, for instance 127.0.0.1:8001' },
  ),
  slots: field(whole(1, 256), {
    description: 'Executions at the same time: as many as the instances of the models that share the device.',
    sample: 1,
  }),
  pipelining_depth: field(whole(0, 8).default(1), {
    description: 'Calls sent ahead of a free slot, late and only behind a call to the same backend model; hides the round trip.',
  }),
  pipelining_lead_ms: field(z.exactOptional(real(0, MAX_DURATION_MS)), {
    description: 'How long before the predicted end of the running call the next one is sent ahead; 0: not before its end.',
    unit: 'ms',
    whenAbsent: 'the measured round trip',
    sample: 2.0,
  }),
  transport: field(z.enum(['auto', 'shared_memory', 'inline']).default('auto'), {
    description: 'How tensors travel. auto: by system shared memory when the server can map it, else inside the message.',
  }),
  timeout_ms: field(duration().default(1000), {
    description: 'Time from dispatch after which a request ends as backend_timeout. The call is followed on and its slot stays held.',
    unit: 'ms',
  }),
  trust: field(z.enum(TRUST).default('open'), {
    description:
      "What the server's count of finished executions proves. open: it counts our calls alone. strict: it has to show that; the first call waits for a count, and once others call a model too, no count returns a slot there.",
  }),
  tls: z.exactOptional(tlsSchema),
  no_corun: field(z.array(z.string().regex(CORUN_PAIR)).max(256).default([]), {
    description: 'Pairs of models of this backend, "modelA|modelB", that never run at the same time.',
    expects: '"modelA|modelB", two names of models with a bar between',
  }),
});
