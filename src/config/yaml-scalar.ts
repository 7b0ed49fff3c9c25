/**
 * Plain scalars as ROS 2 reads them (rcl_yaml_param_parser), which is neither YAML 1.1 nor 1.2: `on` and `y` are booleans, `010` is
 * eight, `1_000`, dates and `null` are texts.
 */
import { Scalar } from 'yaml';

const TRUE = /^(y|yes|Yes|YES|Y|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(n|no|No|NO|N|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^([+-]?)(0x[0-9a-f]+|0[0-7]*|[1-9]\d*)$/i;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SPECIAL = /^([+-]?)\.?(inf|infinity|nan)$/i;

/** @returns undefined when there is nothing where a value should be. */
export function scalarValue(scalar: Scalar): boolean | number | string | undefined {
  const text = String(scalar.value ?? '');
  if (scalar.type !== Scalar.PLAIN || scalar.tag === 'tag:yaml.org,2002:str') return text;
  return plainValue(scalar.source ?? text);
}

function plainValue(text: string): boolean | number | string | undefined {
  if (text === '') return undefined;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits !== undefined) return (sign === '-' ? -1 : 1) * (/^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits));
  if (DECIMAL.test(text)) return Number(text);
  const [, specialSign, special] = SPECIAL.exec(text) ?? [];
  if (special !== undefined) return special.toLowerCase() === 'nan' ? Number.NaN : specialSign === '-' ? -Infinity : Infinity;
  return text;
}
