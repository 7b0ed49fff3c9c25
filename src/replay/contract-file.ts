/** The parameters of a replay: those of the live node, but a stream may have any message type, and a profile is needed. */
import { DEFAULT_NODE, loadConfiguration } from '../config/load.js';
import { expandName } from '../config/node-name.js';
import { ConfigurationError, type Place, type Problem } from '../config/problem.js';
import type { Parameters } from '../config/schema.js';
import type { Setting } from '../config/setting.js';
import { STREAM_TYPES } from '../config/stream-schema.js';
import type { Configuration } from '../config/validate.js';

/** What is replayed against. */
export interface ReplayContract {
  /** The files, as they were named. */
  readonly files: readonly string[];
  readonly parameters: Parameters;
  readonly streams: readonly ReplayStream[];
}

export interface ReplayStream {
  readonly name: string;
  /** As ROS resolves it for the node. */
  readonly topic: string;
  readonly type: string;
  /** Whether messages are captured as they are received: their headers are not needed. */
  readonly receptionOnly: boolean;
}

/** A type that the schema of the node does not know. */
interface TakenType {
  readonly type: string;
  readonly place: Place;
}

const ROS_TYPE = /^[a-z][a-z0-9_]*\/msg\/[A-Z][A-Za-z0-9]*$/;

/**
 * @param simulated whether profiles answer in place of a server
 * @throws {ConfigurationError} with everything that is wrong.
 */
export function readContract(files: readonly string[], simulated: boolean): ReplayContract {
  const types = new Map<string, TakenType>();
  const configuration = loadConfiguration({ files, take: (setting) => takeType(setting, types) });
  const problems = simulated ? missingProfiles(configuration) : undecodedTypes(types);
  if (problems.length > 0) throw new ConfigurationError('invalid', problems);
  const { parameters } = configuration;
  const streams = Object.entries(parameters.streams).map(([name, { topic, type, stamp_source: source }]) => ({
    name,
    topic: expandName(topic, DEFAULT_NODE),
    type: types.get(name)?.type ?? type,
    receptionOnly: source === 'receive',
  }));
  return { files, parameters, streams };
}

/** Without a server only the header of a message is read, if that: types which the live node does not know can be replayed, too. */
function takeType({ path, value, place }: Setting, types: Map<string, TakenType>): boolean {
  const [group, stream, key, ...rest] = path;
  if (group !== 'streams' || stream === undefined || key !== 'type' || rest.length > 0) return false;
  types.delete(stream); // a later file counts
  if (typeof value !== 'string' || !ROS_TYPE.test(value) || (STREAM_TYPES as readonly string[]).includes(value)) return false;
  types.set(stream, { type: value, place });
  return true;
}

/** A server needs what is in a message. */
function undecodedTypes(types: ReadonlyMap<string, TakenType>): Problem[] {
  const text = `its payload cannot be decoded for a server, only that of ${STREAM_TYPES.join(', ')}; without --backend live any type is replayed`;
  return [...types].map(([stream, { type, place }]) => ({ place, key: `streams.${stream}.type`, value: type, text }));
}

const NO_PROFILE =
  'is missing; a replay draws runtimes from it. Add to the variant what it takes on your server, for instance ' +
  'profile: {p50_us: 9000, p95_us: 11000, p99_us: 14000} (docs/replay.md#profiles), or replay with --backend live';

function missingProfiles({ parameters, placeOf }: Configuration): Problem[] {
  const used = new Set(Object.values(parameters.streams).map(({ model }) => model));
  return Object.entries(parameters.models).flatMap(([model, { variants }]) =>
    Object.entries(variants)
      .filter(([, { profile }]) => used.has(model) && profile === undefined)
      .map(([variant]) => {
        const path = ['models', model, 'variants', variant];
        const place = placeOf(path);
        return { ...(place === undefined ? {} : { place }), key: [...path, 'profile'].join('.'), text: NO_PROFILE };
      }),
  );
}
