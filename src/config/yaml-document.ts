/** YAML text to nodes with line numbers, within limits that hold for hostile text too. */
import { CST, isScalar, Lexer, LineCounter, parseDocument } from 'yaml';
import { ConfigurationError, type Place } from './problem.js';

export interface YamlDocument {
  readonly contents: unknown;
  /** Where a scalar stands; only the source for other nodes. */
  readonly placeOf: (node: unknown) => Place;
}

/** A hundred times what a robot's file has; the parser is quadratic in places. */
export const MAX_YAML_LENGTH = 262_144;
/** Both for brackets within brackets and for indicators in one line. */
const MAX_NESTING = 32;

/** @throws {ConfigurationError} `malformed`. */
export function parseYaml(text: string, source: string): YamlDocument {
  const lineCounter = new LineCounter();
  const refuse = (reason: string, line: number | undefined, cause?: unknown) =>
    new ConfigurationError('malformed', [{ place: { source, ...(line === undefined ? {} : { line }) }, text: reason }], { cause });
  if (text.length > MAX_YAML_LENGTH) throw refuse(`is ${text.length} characters long; expected at most ${MAX_YAML_LENGTH}`, undefined);
  const deepLine = lineNestedTooDeep(text);
  if (deepLine !== undefined) throw refuse(`nested more than ${MAX_NESTING} deep`, deepLine);
  // failsafe: every scalar stays a text, ROS has its own rules for them. Keys given twice are found later, in linear time.
  const document = parseDocument(text, { schema: 'failsafe', lineCounter, uniqueKeys: false, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) throw refuse(`not valid YAML: ${error.message}`, lineCounter.linePos(error.pos[0]).line, error);
  return {
    contents: document.contents,
    placeOf: (node) => {
      const start = isScalar(node) ? node.range?.[0] : undefined;
      return start === undefined ? { source } : { source, line: lineCounter.linePos(start).line };
    },
  };
}

/** The parser recurses, and thousands of open brackets end the whole process: they have to be found before it sees them. */
function lineNestedTooDeep(text: string): number | undefined {
  let brackets = 0;
  let indicators = 0;
  let line = 1;
  for (const lexeme of new Lexer().lex(text)) {
    switch (CST.tokenType(lexeme)) {
      case 'flow-seq-start':
      case 'flow-map-start':
        brackets += 1;
        break;
      case 'flow-seq-end':
      case 'flow-map-end':
        brackets = Math.max(0, brackets - 1);
        break;
      case 'seq-item-ind':
      case 'explicit-key-ind':
      case 'map-value-ind':
        indicators += brackets === 0 ? 1 : 0;
        break;
      case 'newline':
        indicators = 0;
        break;
    }
    if (brackets > MAX_NESTING || indicators > MAX_NESTING) return line;
    line += lexeme.split('\n').length - 1;
  }
  return undefined;
}
