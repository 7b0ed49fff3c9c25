/** What somebody may have meant by a name that does not exist. */
import { distance } from 'fastest-levenshtein';
import { type FieldNode, isField, ROOT } from './fields.js';

const LONGEST_COMPARED = 64;

/** The known name nearest to a wrong one among a few, if any is near. */
export function nearestName(wrong: string, known: Iterable<string>): string | undefined {
  const [best] = [...known]
    .map((name) => ({ name, cost: cost(wrong, name) }))
    .sort((a, b) => a.cost - b.cost || (a.name < b.name ? -1 : 1));
  return best !== undefined && Number.isFinite(best.cost) ? best.name : undefined;
}

/** The known parameter or group nearest to an unknown one, spelt with the names chosen on the way. */
export function nearestParameter(path: readonly string[]): string | undefined {
  const wrong = path.at(-1) ?? '';
  const [best] = candidates(ROOT, path)
    .map((candidate) => ({ name: candidate.join('.'), cost: cost(wrong, candidate.at(-1) ?? '') + misplacement(path, candidate) }))
    .sort((a, b) => a.cost - b.cost || (a.name < b.name ? -1 : 1));
  return best !== undefined && Number.isFinite(best.cost) ? best.name : undefined;
}

/** Edits from one to the other; infinite when they have too little in common to be worth saying. */
function cost(wrong: string, known: string): number {
  if (wrong.length > LONGEST_COMPARED) return Infinity;
  const edits = distance(wrong, known);
  return edits <= Math.max(2, Math.ceil(known.length * 0.4)) ? edits : Infinity;
}

/** A right key in the wrong place is nearer than a wrong key in the right one, the more so the nearer the place. */
function misplacement(path: readonly string[], candidate: readonly string[]): number {
  const parent = path.slice(0, -1);
  const shared = parent.findIndex((key, depth) => candidate[depth] !== key);
  const common = shared === -1 ? parent.length : shared;
  return (parent.length - common + (candidate.length - 1 - common)) * 0.5;
}

function candidates(node: FieldNode, names: readonly string[], path: readonly string[] = []): (readonly string[])[] {
  if (isField(node)) return [];
  return [...node.keys].flatMap(([key, child]) => {
    const name = key === '*' ? names[path.length] : key;
    if (name === undefined) return [];
    const here = [...path, name];
    const own = key === '*' ? [] : [here];
    return [...own, ...candidates(child, names, here)];
  });
}
