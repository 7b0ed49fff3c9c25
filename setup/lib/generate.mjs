// @ts-check
// Types of the KServe protocol, for the compiler.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './context.mjs';

const folder = 'src/triton/generated';

/** @param {import('./command.mjs').Run} run */
export async function generateTypes(run) {
  rmSync(path.join(root, folder), { recursive: true, force: true });
  const options = [
    '--keepCase',
    '--longs=String',
    '--enums=String',
    '--defaults',
    '--oneofs',
    '--grpcLib=@grpc/grpc-js',
    '--importFileExtension=.js',
  ];
  await run('node_modules/.bin/proto-loader-gen-types', [...options, `--outDir=${folder}`, 'src/triton/kserve-v2.proto']);
}
