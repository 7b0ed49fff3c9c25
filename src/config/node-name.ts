/** Fully qualified node names and the patterns that parameter files address them by. */

export interface NodeName {
  readonly name: string;
  /** `/` or `/a/b`. */
  readonly namespace: string;
}

export function fullName({ name, namespace }: NodeName): string {
  return namespace === '/' ? `/${name}` : `${namespace}/${name}`;
}

/** The parts of a fully qualified name. */
export function splitName(full: string): NodeName {
  const slash = full.lastIndexOf('/');
  return { name: full.slice(slash + 1), namespace: full.slice(0, slash) || '/' };
}

/** A name as ROS expands it on this node: absolute, private (`~/…`) or relative to the namespace. */
export function expandName(name: string, node: NodeName): string {
  if (name.startsWith('/')) return name;
  if (name.startsWith('~/')) return `${fullName(node)}/${name.slice(2)}`;
  return node.namespace === '/' ? `/${name}` : `${node.namespace}/${name}`;
}

/** Whether a block addresses the node: `*` stands for one token, `**` for any number; without a slash in front it is in `/`. */
export function addresses(pattern: string, node: NodeName): boolean {
  return tokensMatch(tokens(pattern), tokens(fullName(node)));
}

function tokens(name: string): string[] {
  return name.split('/').filter((token) => token !== '');
}

function tokensMatch(pattern: readonly string[], name: readonly string[]): boolean {
  // Row by row over the pattern: which prefixes of the name it can have consumed. Linear memory, no backtracking on "/**/**/**/…".
  let consumed = [true, ...name.map(() => false)];
  for (const token of pattern) {
    const before = consumed;
    const next: boolean[] = [];
    for (let length = 0; length <= name.length; length += 1) {
      if (token === '**') next.push(before[length] === true || next[length - 1] === true);
      else next.push(length > 0 && before[length - 1] === true && (token === '*' || token === name[length - 1]));
    }
    consumed = next;
  }
  return consumed[name.length] === true;
}
