/** The counts and conditions of the backends from one change to the next. */
import type { BackendSnapshot, CoreSnapshot } from '../core/snapshot.js';
import type { DecisionLine } from './decision-line.js';
import type { StateKind } from './script.js';

type Value = number | boolean;
type Condition = Readonly<Record<StateKind, Value>>;

interface HistoryEntry {
  readonly atMs: number;
  readonly backends: ReadonlyMap<string, Condition>;
}

/** What was so, since when. */
export interface Since {
  readonly atMs: number;
  readonly value: Value;
}

/** Changes of the level are decisions of the core and have a line of their own. */
const TOLD: readonly StateKind[] = ['held', 'quarantined', 'ready'];
const AT_REST: Condition = { held: 0, quarantined: 0, ready: true, level: 0 };

export class StateHistory {
  readonly #entries: HistoryEntry[] = [];

  /** @returns a line for each change. */
  record(atMs: number, { backends }: CoreSnapshot): DecisionLine[] {
    const before = this.#entries.at(-1)?.backends;
    const now = new Map(backends.map((backend) => [backend.name, conditionOf(backend)]));
    const changes = [...now].flatMap(([backend, condition]) => {
      const was = before?.get(backend) ?? AT_REST;
      const kinds = (Object.keys(condition) as StateKind[]).filter((kind) => condition[kind] !== was[kind]);
      return kinds.map((kind) => ({ kind, backend, value: condition[kind] }));
    });
    if (before === undefined || changes.length > 0) this.#entries.push({ atMs, backends: now });
    return changes.filter(({ kind }) => TOLD.includes(kind)).map(({ kind, ...rest }) => ({ at_ms: atMs, action: kind, ...rest }));
  }

  /** Every value there was, in order; of all backends together where none is named. */
  values(kind: StateKind, backend: string | undefined): Since[] {
    return this.#entries.map(({ atMs, backends }) => {
      const values = [...backends].filter(([name]) => backend === undefined || name === backend).map(([, condition]) => condition[kind]);
      return { atMs, value: together(kind, values) };
    });
  }
}

function conditionOf({ held, quarantined, slots, overloadLevel }: BackendSnapshot): Condition {
  return { held, quarantined, ready: held < slots, level: overloadLevel };
}

function together(kind: StateKind, values: readonly Value[]): Value {
  if (kind === 'ready') return values.every((value) => value === true);
  const numbers = values.map(Number);
  return kind === 'level' ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0);
}
