/** Prints what test/core/determinism.json has to say. With another version of Node: npx -y -p node@24 node setup/run-typescript.mjs FILE */
import { DIGESTED, decideAll, inputDigest } from './determinism.js';

const policies = DIGESTED.map(({ name, scheduling }) => [name, decideAll(scheduling).digest]);
process.stdout.write(`${JSON.stringify({ input: inputDigest(), ...Object.fromEntries(policies) }, null, 2)}\n`);
