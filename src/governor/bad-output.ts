/** An answer that cannot be read. The message is for a person. */
export class BadOutput extends Error {
  override readonly name = 'BadOutput';
}
