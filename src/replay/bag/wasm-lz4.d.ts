/** The library below the function that the package offers, which can be had but once, and knows no way back from a damaged frame. */
declare module '@foxglove/wasm-lz4/dist/wasm-lz4.js' {
  export interface Lz4Library {
    /** Another one after each call that takes memory. */
    readonly HEAPU8: Uint8Array;
    /** @returns 0 when there is none. */
    _malloc(bytes: number): number;
    _free(at: number): void;
    _createDecompressionContext(): number;
    /** @returns how many bytes came out, -1 when the frame is damaged. */
    _decompressFrame(context: number, target: number, targetBytes: number, source: number, sourceBytes: number): number;
  }

  export default function createLibrary(): Promise<Lz4Library>;
}
