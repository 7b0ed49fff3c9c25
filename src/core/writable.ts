/** What others may only read, while it is built. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };
