import { describe, expect, test } from 'vitest';
import { type Curve, drawChart, drawLegend } from '../../src/simulator/plot/chart.js';
import { policyStyles, streamColour } from '../../src/simulator/plot/colours.js';

const POLICIES = [
  'fifo-1',
  'fifo-16',
  'latest',
  'latest_priority',
  'latest_edf',
  'triton_policy',
  'governor',
  'governor-ordered',
  'clairvoyant',
];

describe('curves are told apart', () => {
  const styles = [...policyStyles(POLICIES).values()];

  test('by colour, and without colour too', () => {
    expect(new Set(styles.map(({ colour }) => colour)).size).toBe(POLICIES.length);
    expect(new Set(styles.map(({ dash, mark }) => `${dash} ${mark}`)).size).toBe(POLICIES.length);
  });

  test('the governor is a line without gaps', () => {
    expect(policyStyles(POLICIES).get('governor')?.dash).toBeUndefined();
  });

  test('sixteen streams have sixteen colours', () => {
    expect(new Set(Array.from({ length: 16 }, (_, index) => streamColour(index))).size).toBe(16);
  });
});

const chart = (points: Readonly<Record<string, number>>) => {
  const styles = policyStyles(Object.keys(points));
  const curves = Object.entries(points).flatMap(([name, y]): Curve[] => {
    const style = styles.get(name);
    return style === undefined
      ? []
      : [
          {
            name,
            style,
            points: [
              [0, y],
              [1, y],
            ],
          },
        ];
  });
  return drawChart({ title: 't', xLabel: 'x', yLabel: 'y', xTicks: [0, 1], marked: true, curves });
};

describe('curves that are the same', () => {
  test('are named as one line', () => {
    expect(chart({ a: 1, b: 2, c: 1, d: 2, e: 3 })).toContain('the same: a = c; b = d<');
    expect(chart({ a: 1, b: 2 })).not.toContain('the same');
  });

  test('are drawn narrower from one to the next, so that each is seen', () => {
    const widths = [...chart({ a: 1, b: 1, c: 1 }).matchAll(/<polyline [^>]*stroke-width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths).toEqual([4, 2.8, 1.5]);
  });
});

test('a legend shows the dashes and the mark of a curve', () => {
  const style = policyStyles(['x', 'y']).get('y');
  const { content } = drawLegend([{ name: 'y', colour: '#123456', ...(style && { style }) }], 400);
  expect(content).toContain(`stroke-dasharray="${style?.dash}"`);
  expect(content).toContain('<rect');
});
