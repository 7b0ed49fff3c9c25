/** Hues that stay apart for most eyes: dark ones for the governor's own, light ones for the control arms. */
const DARK = ['#d1495b', '#1b6ca8', '#2a9d4b', '#8e44ad', '#e07b00', '#00798c', '#a0522d', '#6b7a00'];
const LIGHT = ['#8d99ae', '#56b4e9', '#f2b134', '#7bc86c', '#c49be0', '#ef8f8f', '#5fc9c4', '#b5a642'];

const DASHES = ['8 3', '2 2.5', '9 3 2 3', '14 2'];
export const MARKS = ['circle', 'square', 'triangle', 'diamond', 'cross', 'plus'] as const;

/** How a curve is told from the others, in colour and without it. */
export interface CurveStyle {
  readonly colour: string;
  readonly dash: string | undefined;
  readonly mark: (typeof MARKS)[number];
}

/** No two have the same dashes and marks, up to twelve. */
export function policyStyles(policies: readonly string[]): ReadonlyMap<string, CurveStyle> {
  let dark = 0;
  let light = 0;
  return new Map(
    policies.map((policy, index) => {
      const shape = {
        dash: policy === 'governor' ? undefined : DASHES[index % DASHES.length],
        mark: MARKS[index % MARKS.length] ?? 'circle',
      };
      if (policy === 'clairvoyant') return [policy, { ...shape, colour: '#000000' }];
      const [colours, own] = policy.startsWith('governor') ? [DARK, dark++] : [LIGHT, light++];
      return [policy, { ...shape, colour: colours[own % colours.length] ?? '#000000' }];
    }),
  );
}

export function streamColour(index: number): string {
  const all = [...DARK, ...LIGHT];
  return all[index % all.length] ?? '#000000';
}
