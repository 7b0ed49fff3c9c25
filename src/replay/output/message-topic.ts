/** Topics of the node, as they are written to a bag. */
import { collectDefinitions, type DefinitionText } from '../../ros/interface-definitions.js';
import { RosMessageWriter } from '../../ros/message-writer.js';
import { bundledTexts } from '../definitions.js';

const SEPARATOR = '='.repeat(80);

export interface TopicSchema {
  readonly type: string;
  /** Of the type itself and, each behind a line, of all types in it. */
  readonly text: string;
  readonly writer: RosMessageWriter;
}

/** @param type package/msg/Name, of this package or a common one */
export function topicSchema(type: string): TopicSchema {
  const found = collectDefinitions(type, bundledTexts);
  return { type, text: found.map(withHead).join('\n'), writer: new RosMessageWriter(found.map(({ definition }) => definition)) };
}

function withHead({ definition, text }: DefinitionText, index: number): string {
  return index === 0 ? text : `${SEPARATOR}\nMSG: ${(definition.name ?? '').replace('/msg/', '/')}\n${text}`;
}
