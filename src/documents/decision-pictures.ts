/** The pictures of docs/decisions.md: what each script beside them decides. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { runScript } from '../decide/run-script.js';
import { readScript } from '../decide/script-file.js';
import { timelinePicture } from './timeline-picture.js';

export interface DecisionPicture {
  /** Without its ending. */
  readonly name: string;
  readonly svg: string;
  /** How the decisions differ from what the script expects; none while the document is right. */
  readonly differences: readonly string[];
}

export function decisionPictures(folder: string): DecisionPicture[] {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.yaml') ? [path.basename(file, '.yaml')] : []));
  return names.sort().map((name) => {
    const script = readScript(path.join(folder, `${name}.yaml`));
    const decided = runScript(script);
    return { name, svg: timelinePicture(name.replaceAll('-', ' '), script, decided), differences: decided.differences };
  });
}
