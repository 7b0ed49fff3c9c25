/**
 * The KServe v2 protocol, loaded from `kserve-v2.proto`, for the client here and the reference server alike. Their types are generated from
 * the same file by `npm run generate`, with the options that stand here.
 */
import { fileURLToPath } from 'node:url';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync, type Options } from '@grpc/proto-loader';
import type { ProtoGrpcType } from './generated/kserve-v2.js';

/** 64-bit integers are decimal text (a counter or an INT64 tensor must not lose digits), bytes are Buffers. */
const LOADER_OPTIONS: Options = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };

/** What `loadProtocol` gives: the constructor of the client, with the definition of the service in its `service`. */
export type InferenceProtocol = ProtoGrpcType['inference']['GRPCInferenceService'];

let loaded: InferenceProtocol | undefined;

/** The service `inference.GRPCInferenceService`; the file is read once. */
export function loadProtocol(): InferenceProtocol {
  if (loaded === undefined) {
    const definition = loadSync(fileURLToPath(new URL('./kserve-v2.proto', import.meta.url)), LOADER_OPTIONS);
    // The generated types describe exactly this file under these options: the one cast that joins the two.
    loaded = (loadPackageDefinition(definition) as unknown as ProtoGrpcType).inference.GRPCInferenceService;
  }
  return loaded;
}
