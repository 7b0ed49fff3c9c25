/** `backends.<name>`: one inference server, or one part of it, and how much it runs at a time. */
import { z } from 'zod';
import { duration, field, MAX_DURATION_MS, real, whole } from './field.js';

/** Two logical models, the smaller name need not come first. */
export const CORUN_PAIR = /^([^|\s]+)\|([^|\s]+)$/;

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
    description: 'How long before the predicted end of the running call the next one is sent ahead.',
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
  no_corun: field(z.array(z.string().regex(CORUN_PAIR)).max(256).default([]), {
    description: 'Pairs of models of this backend, "modelA|modelB", that never run at the same time.',
    expects: '"modelA|modelB", two names of models with a bar between',
  }),
});
