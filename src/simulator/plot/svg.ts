/** A few SVG elements as text. Coordinates are rounded to a tenth of a pixel. */

type Attributes = Readonly<Record<string, string | number | undefined>>;

export function element(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escaped(value ?? '')}"`)
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

export function text(x: number, y: number, words: string, attributes: Attributes = {}): string {
  return element('text', { x, y, ...attributes }, escaped(words));
}

export function polyline(points: readonly (readonly [number, number])[], attributes: Attributes): string {
  return element('polyline', { points: points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join(' '), fill: 'none', ...attributes });
}

export function moved(x: number, y: number, content: string): string {
  return element('g', { transform: `translate(${rounded(x)} ${rounded(y)})` }, content);
}

export function picture(width: number, height: number, title: string, content: string): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${rounded(width)} ${rounded(height)}`,
    width,
    height,
    'font-family': 'sans-serif',
    'font-size': 11,
    role: 'img',
  };
  const background = element('rect', { width, height, fill: '#fff' });
  return `${element('svg', attributes, `${element('title', {}, escaped(title))}${background}${content}`)}\n`;
}

/** A coordinate as it is written. */
export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
