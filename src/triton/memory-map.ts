/** mmap for files in /dev/shm, through koffi. Node has none of its own. */

const PROT_READ_WRITE = 0x3;
const MAP_SHARED = 0x1;
const MAP_PRIVATE = 0x2;
const MAP_FIXED = 0x10;
const MAP_ANONYMOUS = 0x20;
const MAP_NORESERVE = 0x4000;
const MAP_POPULATE = 0x8000;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

export interface Mapping {
  readonly bytes: Uint8Array;
  /**
   * Gives the memory back to the system. The addresses stay valid, backed by nothing until they are written: a view that somebody still
   * holds then does no harm, where after munmap it would end the process.
   */
  release(): void;
}

export interface MemoryMap {
  /** Maps the whole file, pages present. @throws {Error} when the system refuses. */
  map(fd: number, byteLength: number): Mapping;
}

/** @throws {Error} where koffi has no binary for this machine. */
export async function loadMemoryMap(): Promise<MemoryMap> {
  const { default: koffi } = await import('koffi');
  const mmap = koffi.load(null).func('mmap', 'void *', ['void *', 'size_t', 'int', 'int', 'int', 'int64_t']);
  const place = (address: bigint | null, byteLength: number, flags: number, fd: number): bigint => {
    const placed: unknown = mmap(address, byteLength, PROT_READ_WRITE, flags, fd, 0);
    if (typeof placed !== 'bigint' || placed === MAP_FAILED) throw new Error(`mmap of ${byteLength} bytes failed (errno ${koffi.errno()})`);
    return placed;
  };
  return {
    map(fd, byteLength) {
      const address = place(null, byteLength, MAP_SHARED | MAP_POPULATE, fd);
      return {
        bytes: new Uint8Array(koffi.view(address, byteLength)),
        release: () => void place(address, byteLength, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1),
      };
    },
  };
}
