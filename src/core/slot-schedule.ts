/** A hypothetical schedule of the slots: work goes on whichever comes free first. */
import { indexOfEarliest } from './credits.js';
import { later, type Micros, plus } from './units.js';
import type { UsableVariants } from './usable-variants.js';

export class SlotSchedule {
  /** When each slot comes free, one entry a slot; to be filled by whoever knows. */
  readonly freeUs: Micros[] = [];
  /** Of the work placed last. */
  startUs = 0 as Micros;
  runtimeUs = 0 as Micros;
  endUs = 0 as Micros;

  constructor(slots: number) {
    for (let i = 0; i < slots; i += 1) this.freeUs.push(0 as Micros);
  }

  copy(other: SlotSchedule): void {
    for (let i = 0; i < this.freeUs.length; i += 1) this.freeUs[i] = other.freeUs[i] as Micros;
  }

  /** Work of a known length. */
  place(readyUs: Micros, runtimeUs: Micros): void {
    const slot = indexOfEarliest(this.freeUs, this.freeUs.length);
    this.startUs = later(readyUs, this.freeUs[slot] as Micros);
    this.runtimeUs = runtimeUs;
    this.endUs = plus(this.startUs, runtimeUs);
    this.freeUs[slot] = this.endUs;
  }

  /** Work as long as the fastest of these variants is planned to run beside what runs then. */
  placeFastest(readyUs: Micros, variants: UsableVariants, now: Micros): void {
    const slot = indexOfEarliest(this.freeUs, this.freeUs.length);
    const startUs = later(readyUs, this.freeUs[slot] as Micros);
    let occupancy = 0;
    for (const freeUs of this.freeUs) if (freeUs > startUs) occupancy += 1;
    this.place(readyUs, variants.plannedUs(occupancy, now));
  }
}
