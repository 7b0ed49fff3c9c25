/** Message definitions as the installed packages supply them: share/<package>/msg/<Name>.msg under a prefix. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@foxglove/rosmsg';

export type MessageDefinition = ReturnType<typeof parse>[number];
type MessageDefinitionField = MessageDefinition['definitions'][number];

export type RosInterfaceErrorCode = 'bad_name' | 'not_installed' | 'unreadable';

/** A message type that cannot be had here; the text names the type and what to do. */
export class RosInterfaceError extends Error {
  readonly code: RosInterfaceErrorCode;

  constructor(code: RosInterfaceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RosInterfaceError';
    this.code = code;
  }
}

export interface RosTypeName {
  readonly packageName: string;
  readonly name: string;
}

const TYPE_NAME = /^([a-z][a-z0-9_]*)\/(?:msg\/)?([A-Z][A-Za-z0-9]*)$/;

/** @throws {RosInterfaceError} unless `package/msg/Name`. */
export function splitTypeName(type: string): RosTypeName {
  const [, packageName, name] = TYPE_NAME.exec(type) ?? [];
  if (packageName === undefined || name === undefined) {
    throw new RosInterfaceError('bad_name', `"${type}" is not a message type; expected package/msg/Name`);
  }
  return { packageName, name };
}

/** The install prefixes of the sourced environment, in their order. */
export function installPrefixes(environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  return (environment['AMENT_PREFIX_PATH'] ?? '').split(path.delimiter).filter((prefix) => prefix !== '');
}

/** Where definitions come from: the text of one, or undefined. */
export type DefinitionTexts = (packageName: string, name: string) => string | undefined;

export interface DefinitionText {
  readonly definition: MessageDefinition;
  readonly text: string;
}

/**
 * The definition of a type and of all types in it, the type itself first, names qualified.
 * @throws {RosInterfaceError} when one of them is not installed or cannot be parsed.
 */
export function readDefinitions(type: string, prefixes: readonly string[]): MessageDefinition[] {
  return collectDefinitions(type, installedTexts(prefixes)).map(({ definition }) => definition);
}

/** What is installed under some prefixes; the first one that has it counts. */
export function installedTexts(prefixes: readonly string[]): DefinitionTexts {
  return (packageName, name) => readFirst(prefixes.map((prefix) => path.join(prefix, 'share', packageName, 'msg', `${name}.msg`)));
}

/** As `readDefinitions`, from anywhere, with their texts. @throws {RosInterfaceError} */
export function collectDefinitions(type: string, texts: DefinitionTexts): DefinitionText[] {
  const found = new Map<string, DefinitionText>();
  const pending = [qualified(splitTypeName(type))];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (found.has(next)) continue;
    const read = readDefinition(next, texts);
    found.set(next, read);
    for (const field of read.definition.definitions) if (field.isComplex === true) pending.push(field.type);
  }
  return [...found.values()];
}

function qualified({ packageName, name }: RosTypeName): string {
  return `${packageName}/msg/${name}`;
}

function readDefinition(type: string, texts: DefinitionTexts): DefinitionText {
  const { packageName, name } = splitTypeName(type);
  const text = texts(packageName, name);
  if (text === undefined) {
    const remedy = `install the package ${packageName} and source its setup file`;
    throw new RosInterfaceError('not_installed', `message type ${type} is not installed under AMENT_PREFIX_PATH: ${remedy}`);
  }
  try {
    const fields = parse(text, { ros2: true, skipTypeFixup: true }).flatMap((definition) => definition.definitions);
    return { text, definition: { name: type, definitions: fields.map((field) => qualifyField(field, packageName)) } };
  } catch (cause) {
    throw new RosInterfaceError('unreadable', `the definition of ${type} cannot be parsed: ${String(cause)}`, { cause });
  }
}

/** A bare type name means the package that the definition stands in. */
function qualifyField(field: MessageDefinitionField, packageName: string): MessageDefinitionField {
  if (field.isComplex !== true) return field;
  const type = field.type.includes('/') ? field.type : `${packageName}/${field.type}`;
  return { ...field, type: qualified(splitTypeName(type)) };
}

/** The first of some files that can be read. */
export function readFirst(files: readonly string[]): string | undefined {
  for (const file of files) {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // the next prefix may have it
    }
  }
  return undefined;
}
