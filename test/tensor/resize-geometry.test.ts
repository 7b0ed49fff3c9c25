import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resizeGeometry, sourceX, sourceY } from '../../src/tensor/resize-geometry.js';

const size = fc.record({ width: fc.integer({ min: 1, max: 4000 }), height: fc.integer({ min: 1, max: 4000 }) });

describe('resizing', () => {
  test('stretch: corners meet corners', () => {
    fc.assert(
      fc.property(size, size, (source, target) => {
        const geometry = resizeGeometry(source, target, 'stretch');
        expect([sourceX(geometry, 0), sourceY(geometry, 0)]).toEqual([0, 0]);
        expect(sourceX(geometry, target.width)).toBeCloseTo(source.width, 6);
        expect(sourceY(geometry, target.height)).toBeCloseTo(source.height, 6);
      }),
    );
  });

  test('letterbox: the whole source, centred, in its proportions to the pixel, one side full', () => {
    fc.assert(
      fc.property(size, size, (source, target) => {
        const geometry = resizeGeometry(source, target, 'letterbox');
        const { left, top, width, height } = geometry.content;
        expect(sourceX(geometry, left)).toBe(0);
        expect(sourceX(geometry, left + width)).toBeCloseTo(source.width, 6);
        expect(sourceY(geometry, top)).toBe(0);
        expect(sourceY(geometry, top + height)).toBeCloseTo(source.height, 6);
        expect(width === target.width || height === target.height).toBe(true);
        expect(Math.abs(target.width - width - 2 * left)).toBeLessThanOrEqual(1);
        expect(Math.abs(target.height - height - 2 * top)).toBeLessThanOrEqual(1);
        const scale = Math.max(source.width / target.width, source.height / target.height);
        expect(Math.abs(width - source.width / scale)).toBeLessThanOrEqual(1);
        expect(Math.abs(height - source.height / scale)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('crop: a centred part inside the source, in its proportions, one side whole', () => {
    fc.assert(
      fc.property(size, size, (source, target) => {
        const geometry = resizeGeometry(source, target, 'crop');
        const [left, right] = [sourceX(geometry, 0), sourceX(geometry, target.width)];
        const [top, bottom] = [sourceY(geometry, 0), sourceY(geometry, target.height)];
        expect(Math.min(left, top)).toBeCloseTo(0, 6);
        expect(left).toBeCloseTo(source.width - right, 6);
        expect(top).toBeCloseTo(source.height - bottom, 6);
        expect(left).toBeGreaterThanOrEqual(-1e-6);
        expect(top).toBeGreaterThanOrEqual(-1e-6);
        expect((right - left) / target.width).toBeCloseTo((bottom - top) / target.height, 6);
      }),
    );
  });

  test('a wide image in a square', () => {
    const { content } = resizeGeometry({ width: 1920, height: 1080 }, { width: 640, height: 640 }, 'letterbox');
    expect(content).toEqual({ width: 640, height: 360, left: 0, top: 140 });
  });
});
