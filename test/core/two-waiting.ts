import { Bench, type ModelShort } from './bench.js';

/** Two guarded frames that wait when the slot comes free: request 2 of a, which has two variants, and request 3 of b, which takes so many milliseconds or has its own. */
export function twoWaiting(b: number | ModelShort): Bench {
  const one = new Bench({
    models: { hog: 5, a: { variants: { large: { quality: 1, p50: 9 }, small: { quality: 0.5, p50: 1 } } }, b },
    streams: {
      hog: { class: 'protected', queue: { policy: 'never_drop' } },
      a: { class: 'high', deadline: 10 },
      b: { class: 'high', deadline: 11 },
    },
  });
  one.arrive(-5, 'hog');
  one.arrive(0, 'a');
  one.arrive(0, 'b');
  one.complete(0, 1);
  return one;
}
