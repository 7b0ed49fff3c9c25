// @ts-check
// Runs one TypeScript file where it stands, with the loader that the tests use too.   usage: node setup/run-typescript.mjs FILE [ARGUMENT …]
import { runnerImport } from 'vite';

const [file = ''] = process.argv.splice(2, 1);
await runnerImport(file);
