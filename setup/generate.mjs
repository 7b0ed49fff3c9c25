// @ts-check
// npm run generate: the types of the KServe protocol, which the compiler needs and git ignores.
import { openLog } from './lib/command.mjs';
import { generateTypes } from './lib/generate.mjs';

const log = openLog('generate');
await generateTypes(log.run);
log.close();
