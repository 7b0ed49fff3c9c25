/** How a parameter is tried, and values that are wrong for a kind. */

export interface Case {
  /** A value in the file, and as it is read. */
  readonly accepts: readonly (readonly [yaml: string, value: unknown])[];
  readonly refuses: readonly string[];
  /** What it is when left out; absent for what has to be given. */
  readonly otherwise?: { readonly value: unknown; readonly beside?: Readonly<Record<string, string>> };
  /** What has to stand beside it for it to be right. */
  readonly beside?: Readonly<Record<string, string>>;
}

export const notText = ['1', 'true', '[a]', '{a: b}'];
export const notNumber = ['text', '"1"', 'true', '[1]', '.nan', '.inf', '-.inf'];
export const notWhole = [...notNumber, '1.5'];
export const notBool = ['1', '"true"', 'text', '[true]'];
export const positiveMs = {
  accepts: [
    ['20', 20],
    ['0.5', 0.5],
    ['3600000', 3_600_000],
  ],
  refuses: [...notNumber, '0', '-1', '3600001'],
} as const;
