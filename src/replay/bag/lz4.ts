/** Unpacks lz4 frames. What was wrong with one frame stays in the context of the library: the next one gets a library of its own. */
import createLibrary, { type Lz4Library } from '@foxglove/wasm-lz4/dist/wasm-lz4.js';

interface Lz4 {
  readonly library: Lz4Library;
  readonly context: number;
}

/** Whose last frame was whole. */
let used: Lz4 | undefined;

/** @param size of what comes out. @throws {Error} when the frame is damaged. */
export async function decompressLz4(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const known = used;
  used = undefined;
  if (known !== undefined) {
    try {
      return decompressWith(known, bytes, size);
    } catch {
      // The frame before it can have lacked its end, which nobody hears of: once more.
    }
  }
  const library = await createLibrary();
  return decompressWith({ library, context: library._createDecompressionContext() }, bytes, size);
}

function decompressWith(lz4: Lz4, bytes: Uint8Array, size: number): Uint8Array {
  const { library, context } = lz4;
  const source = library._malloc(bytes.byteLength);
  const target = library._malloc(size);
  if (source === 0 || target === 0) throw new Error(`there is no memory for ${size} bytes`);
  library.HEAPU8.set(bytes, source);
  const written = library._decompressFrame(context, target, size, source, bytes.byteLength);
  if (written < 0) throw new Error('its compression is damaged');
  if (written !== size) throw new Error(`${written} bytes came out where ${size} were promised`);
  const unpacked = library.HEAPU8.slice(target, target + size);
  library._free(source);
  library._free(target);
  used = lz4;
  return unpacked;
}
