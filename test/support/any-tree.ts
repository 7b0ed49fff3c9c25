import fc from 'fast-check';

/** Values, lists and groups within each other, as a file may have them. */
export function anyTree(keys: fc.Arbitrary<string>, scalars: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'medium' },
      scalars,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.array(fc.tuple(keys, tie('tree')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).tree;
}
