/** Prints what test/core/determinism.json has to say. With another version of Node: npx -y -p node@24 node setup/run-typescript.mjs FILE */
import { decideAll, inputDigest } from './determinism.js';
import { POLICIES } from './policies.js';

const policies = POLICIES.map(({ name, scheduling }) => [name, decideAll(scheduling).digest]);
process.stdout.write(`${JSON.stringify({ input: inputDigest(), ...Object.fromEntries(policies) }, null, 2)}\n`);
