/** The commands for faults as they come: checked, with an error that says what would be right. */
import { status } from '@grpc/grpc-js';
import { z } from 'zod';
import { issueProblems, type Written } from '../config/issue-problems.js';
import { nearestName } from '../config/nearest.js';
import { formatProblem, shorten } from '../config/problem.js';
import { keyOf, type YamlPath } from '../config/yaml-tree.js';
import { type Fault, type Happening, INSTANTS } from './fault.js';
import { milliseconds, modelName, whole } from './schema-parts.js';

const CODES = Object.keys(status).filter((name): name is keyof typeof status => name in status && /^[A-Z]/.test(name) && name !== 'OK');

const calls = {
  at: z.enum(INSTANTS, `expected one of ${INSTANTS.join(', ')}`).default('execution'),
  model: modelName().optional(),
  count: whole(1, 1_000_000).optional(),
};
const READY = 'expected true or false';
const DETAILS = 'expected a text of at most 1024 characters';

const SCHEMAS = {
  hang: z.strictObject({ fault: z.literal('hang'), ...calls }),
  error: z.strictObject({
    fault: z.literal('error'),
    ...calls,
    code: z.enum(CODES, 'expected the name of a gRPC status, such as UNAVAILABLE').default('INTERNAL'),
    details: z.string(DETAILS).max(1024, DETAILS).default('a fault on command'),
  }),
  disconnect: z.strictObject({ fault: z.literal('disconnect'), ...calls }),
  readiness: z.strictObject({ fault: z.literal('readiness'), ready: z.boolean(READY), model: modelName().optional() }),
  counters: z.strictObject({ fault: z.literal('counters'), model: modelName().optional() }),
  slow_load: z.strictObject({ fault: z.literal('slow_load'), ms: milliseconds(0), model: modelName().optional() }),
  restart: z.strictObject({ fault: z.literal('restart'), down_ms: milliseconds(0).default(0) }),
  crash: z.strictObject({ fault: z.literal('crash'), model: modelName() }),
  reset: z.strictObject({ fault: z.literal('reset') }),
  go_away: z.strictObject({ fault: z.literal('go_away') }),
};

const FAULTS = Object.keys(SCHEMAS);

/** A command that cannot be understood. The message has a line for each problem. */
export class FaultRequestError extends Error {
  override readonly name = 'FaultRequestError';
  readonly code = 'bad_request';
}

/**
 * @param models the names there are
 * @throws {FaultRequestError}
 */
export function parseFault(text: string, models: readonly string[]): Fault | Happening {
  const values = parseJson(text);
  const { fault: name } = values;
  const schema = Object.entries(SCHEMAS).find(([key]) => key === name)?.[1];
  if (schema === undefined) {
    const nearest = typeof name === 'string' ? nearestName(name, FAULTS) : undefined;
    const remedy = nearest === undefined ? `expected one of ${FAULTS.join(', ')}` : `did you mean ${nearest}?`;
    throw new FaultRequestError(
      name === undefined ? `fault: is missing; ${remedy}` : `fault is ${shorten(JSON.stringify(name))}: no such fault; ${remedy}`,
    );
  }
  const result = schema.safeParse(values);
  if (!result.success) {
    const problems = issueProblems(result.error.issues, schema, writtenIn(values));
    throw new FaultRequestError(problems.map(formatProblem).join('\n'), { cause: result.error });
  }
  const fault = result.data;
  if ('model' in fault && fault.model !== undefined && !models.includes(fault.model)) {
    throw new FaultRequestError(`model is "${fault.model}": no such model; expected one of ${models.join(', ')}`);
  }
  return fault;
}

const group = z.record(z.string(), z.unknown());

function parseJson(text: string): Record<string, unknown> {
  try {
    return group.parse(JSON.parse(text));
  } catch (cause) {
    throw new FaultRequestError('expected a JSON object, such as {"fault": "hang"}', { cause });
  }
}

function writtenIn(values: Record<string, unknown>): Written {
  const valueAt = (path: YamlPath) => (path.length === 1 ? values[String(path[0])] : undefined);
  return {
    holds: (path) => valueAt(path) !== undefined,
    problemAt: (path, text) => {
      const value = valueAt(path);
      return { key: keyOf(path), ...(value === undefined ? {} : { value: shorten(JSON.stringify(value)) }), text };
    },
  };
}
