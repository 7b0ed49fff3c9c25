import { addresses, type NodeName } from '../../src/config/node-name.js';
import { parseParameterFile } from '../../src/config/parameter-file.js';
import { ConfigurationError, formatProblem } from '../../src/config/problem.js';
import type { Parameters } from '../../src/config/schema.js';
import { type Configuration, validate } from '../../src/config/validate.js';

const GOVERNOR: NodeName = { name: 'governor', namespace: '/' };

/** The smallest configuration: one backend, one model, one stream. */
export const SMALLEST = {
  'backends.gpu.slots': '1',
  'models.detector.backend': 'gpu',
  'models.detector.variants.full.backend_model': 'centerface',
  'streams.front.topic': '/front/image_raw',
  'streams.front.model': 'detector',
  'streams.front.contract.max_age_ms': '100',
} as const;

/** Checks what a file named r.yaml holds for the governor. */
export function configureText(text: string, node = GOVERNOR): Configuration {
  const contents = parseParameterFile(text, 'r.yaml')
    .filter((block) => addresses(block.node, node))
    .map((block) => block.read());
  return validate(
    contents.flatMap((content) => content.settings),
    contents.flatMap((content) => content.problems),
    node,
  );
}

/** SMALLEST with other values (as YAML); undefined takes a line out. Its first line is line 3. */
export function fileWith(changes: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries({ ...SMALLEST, ...changes }).filter(([, value]) => value !== undefined);
  return ['governor:', '  ros__parameters:', ...lines.map(([key, value]) => `    ${key}: ${value}`)].join('\n');
}

export function configure(changes: Readonly<Record<string, string | undefined>> = {}): Parameters {
  return configureText(fileWith(changes)).parameters;
}

/** The lines of the error, or an empty list when there is none. */
export function problemsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(formatProblem);
  }
}

export function problemsWith(changes: Readonly<Record<string, string | undefined>>): string[] {
  return problemsOf(() => configure(changes));
}
