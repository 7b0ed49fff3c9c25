/** Hues that stay apart for most eyes; the governor's own stand out, the control arms are paler. */
const STRONG = ['#d1495b', '#1b6ca8', '#2a9d4b', '#8e44ad', '#e07b00', '#00798c', '#a0522d', '#6b7a00'];
const PALE = ['#9aa5b1', '#7d8ca3', '#b59a7a', '#7fb3a7', '#b38fb5', '#c2a43c', '#8fae6c', '#a3a3a3'];

export function policyColours(policies: readonly string[]): ReadonlyMap<string, string> {
  let strong = 0;
  let pale = 0;
  return new Map(
    policies.map((policy) => {
      const governed = policy.startsWith('governor');
      const [colours, index] = governed ? [STRONG, strong++] : [PALE, pale++];
      return [policy, policy === 'clairvoyant' ? '#000000' : (colours[index % colours.length] ?? '#000000')];
    }),
  );
}

export function streamColour(index: number): string {
  return STRONG[index % STRONG.length] ?? '#000000';
}
