/** A simulation whose one worker never comes to an end: for the test that ends it. */
import { fileURLToPath } from 'node:url';
import { parseScenario } from '../../src/simulator/scenario-file.js';
import { runTasks } from '../../src/simulator/workers.js';
import { TWO_STREAMS } from './scenarios.js';

const program = { file: fileURLToPath(new URL('busy-worker.mjs', import.meta.url)), arguments: [] };
await runTasks(parseScenario(TWO_STREAMS, 'two.yaml'), [{ load: 900, seed: 1 }], 1, () => {}, program);
