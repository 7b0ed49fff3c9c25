import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestTable } from '../../src/core/request-table.js';

it('holds what a Map would', () => {
  const id = fc.oneof(
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 20 }).map((n) => n * 256),
    fc.maxSafeNat(),
  );
  const step = fc.tuple(fc.constantFrom('set', 'set', 'delete', 'clear'), id);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = new RequestTable<object>();
      const map = new Map<number, object>();
      for (const [action, number] of steps) {
        const value = { action, number };
        if (action === 'set') {
          table.set(number, value);
          map.set(number, value);
        } else if (action === 'delete') {
          table.delete(number);
          map.delete(number);
        } else {
          table.clear();
          map.clear();
        }
        expect(table.get(number)).toBe(map.get(number));
        expect(table.has(number)).toBe(map.has(number));
        expect(table.size).toBe(map.size);
      }
      expect(new Set(table.values())).toEqual(new Set(map.values()));
    }),
  );
});
