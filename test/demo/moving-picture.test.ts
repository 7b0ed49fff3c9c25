import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { encode } from 'fast-png';
import { afterAll, describe, expect, it } from 'vitest';
import { crop, enlarged, type Picture, readPicture, windowAt } from '../../src/demo/moving-picture.js';

const folder = mkdtempSync(path.join(tmpdir(), 'vig-picture-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each pixel holds its column, its row and 7. */
function gradient(width: number, height: number): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) data.set([pixel % width, Math.floor(pixel / width), 7], pixel * 3);
  return { width, height, data };
}

function write(name: string, bytes: Uint8Array): string {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

describe('readPicture', () => {
  it('reads an rgb PNG', () => {
    const picture = gradient(5, 4);
    const file = write('rgb.png', encode({ ...picture, channels: 3, depth: 8 }));
    expect(readPicture(file)).toEqual(picture);
  });

  it('refuses another layout, a broken file and none, and says what to do', () => {
    const grey = write('grey.png', encode({ width: 2, height: 2, data: new Uint8Array(4), channels: 1, depth: 8 }));
    const broken = write('broken.png', Buffer.from('not a picture'));
    for (const file of [grey, broken, path.join(folder, 'none.png')]) expect(() => readPicture(file)).toThrow(/npm run setup/);
  });
});

describe('crop', () => {
  it('copies the window', () => {
    expect([...crop(gradient(6, 5), 2, 1, 2, 2)]).toEqual([2, 1, 7, 3, 1, 7, 2, 2, 7, 3, 2, 7]);
  });

  it('refuses a window that leaves the picture', () => {
    for (const [x, y] of [
      [-1, 0],
      [0, -1],
      [5, 0],
      [0, 4],
    ] as const)
      expect(() => crop(gradient(6, 5), x, y, 2, 2)).toThrow(RangeError);
  });
});

describe('enlarged', () => {
  it('repeats each pixel', () => {
    const { width, height, data } = enlarged(gradient(2, 1), 2);
    expect([width, height]).toEqual([4, 2]);
    const row = [0, 0, 7, 0, 0, 7, 1, 0, 7, 1, 0, 7];
    expect([...data]).toEqual([...row, ...row]);
  });
});

describe('windowAt', () => {
  const path_ = { rangeX: 40, rangeY: 10, turnMs: 1000 };

  it('starts at the corner, comes back after a turn and reaches the far end', () => {
    expect(windowAt(path_, 0)).toEqual({ x: 0, y: 0 });
    expect(windowAt(path_, 500)).toEqual({ x: 40, y: 0 });
    expect(windowAt(path_, 250)).toEqual({ x: 20, y: 10 });
    expect(windowAt(path_, 1000)).toEqual({ x: 0, y: 0 });
  });

  it('never leaves its range', () => {
    for (let timeMs = 0; timeMs < 3000; timeMs += 7) {
      const { x, y } = windowAt(path_, timeMs);
      expect(x >= 0 && x <= 40 && y >= 0 && y <= 10).toBe(true);
    }
  });
});
