/** Model files: YAML, one or a folder of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { expectKind } from '../config/file-kind.js';
import { issueProblems, type Written } from '../config/issue-problems.js';
import { ConfigurationError, type Place, shorten } from '../config/problem.js';
import { keyOf, type YamlPath } from '../config/yaml-tree.js';
import type { ModelDescription } from './model-description.js';
import { describeModel, modelFileSchema } from './model-schema.js';

const MAX_FILE_BYTES = 1_048_576;
const MAX_MODELS = 256;

/** The models of the demo, served when no others are named. */
export const DEMO_MODELS = fileURLToPath(new URL('./demo-models.yaml', import.meta.url));

/**
 * The models of a file, or of every `.yaml` file in a folder.
 * @throws {ConfigurationError} with every problem of the first file that has one.
 */
export function loadModels(path: string): ModelDescription[] {
  const models = new Map<string, ModelDescription>();
  for (const file of modelFiles(path)) {
    for (const model of parseModels(read(file), file)) {
      if (models.has(model.name))
        throw invalid({ source: file }, `models.${model.name}`, 'stands in another file of the folder already; give it another name');
      models.set(model.name, model);
    }
  }
  if (models.size === 0) throw invalid({ source: path }, 'models', 'expected at least one model');
  if (models.size > MAX_MODELS) throw invalid({ source: path }, 'models', `expected at most ${MAX_MODELS}, got ${models.size}`);
  return [...models.values()];
}

/** @throws {ConfigurationError} `malformed`, `invalid`. */
export function parseModels(text: string, source: string): ModelDescription[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) {
    const place = { source, line: lines.linePos(error.pos[0]).line };
    throw new ConfigurationError('malformed', [{ place, text: `not valid YAML: ${error.message}` }], { cause: error });
  }
  expectKind('models', document.contents, source);
  const values = valuesOf(document, source);
  if (typeof values !== 'object' || values === null)
    throw new ConfigurationError('malformed', [{ place: { source }, text: 'expected "models:" and below it models by name' }]);
  const result = modelFileSchema.safeParse(values);
  if (!result.success) {
    const written: Written = {
      holds: (path) => valueAt(values, path) !== undefined,
      problemAt: (path, text) => ({
        place: placeOf(document, lines, path, source),
        key: keyOf(path),
        ...shown(valueAt(values, path)),
        text,
      }),
    };
    throw new ConfigurationError('invalid', issueProblems(result.error.issues, modelFileSchema, written), { cause: result.error });
  }
  return Object.entries(result.data.models).map(([name, entry]) => describeModel(name, entry));
}

/** Anchors and merge keys are followed; what grows without measure by them is refused. */
function valuesOf(document: Document, source: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const text = `not valid YAML: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new ConfigurationError('malformed', [{ place: { source }, text }], { cause });
  }
}

/** What is read of a path. @throws {ConfigurationError} `unreadable`. */
export function modelFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter((name) => /\.ya?ml$/.test(name))
      .sort()
      .map((name) => join(path, name));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function read(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_FILE_BYTES) throw new Error(`${size} bytes, a model file has at most ${MAX_FILE_BYTES}`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** As merge keys and anchors have it, wherever it was written. */
function valueAt(values: unknown, path: YamlPath): unknown {
  let value = values;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === String(step))?.[1];
  }
  return value;
}

function shown(value: unknown): { readonly value?: string } {
  return typeof value === 'object' || value === undefined ? {} : { value: shorten(JSON.stringify(value)) };
}

/** The line of a value, or of the nearest group around it that stands in the file. */
function placeOf(document: Document, lines: LineCounter, path: YamlPath, source: string): Place {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return { source, line: lines.linePos(node.range[0]).line };
  }
  return { source };
}

function invalid(place: Place, key: string, text: string): ConfigurationError {
  return new ConfigurationError('invalid', [{ place, key, text }]);
}

function unreadable(source: string, cause: unknown): ConfigurationError {
  const text = `cannot read the file: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new ConfigurationError('unreadable', [{ place: { source }, text }], { cause });
}
