/** The scheduling policies: every property and every grid is gone through with each of them. */
import type { SchedulingConfiguration } from '../../src/core/configuration.js';

export interface PolicyCase {
  readonly name: string;
  readonly scheduling: SchedulingConfiguration;
}

export const POLICIES: readonly PolicyCase[] = [
  { name: 'ordered', scheduling: { protectSupply: false, policy: 'ordered' } },
  { name: 'planned', scheduling: { protectSupply: false, policy: 'planned' } },
  { name: 'planned, strict', scheduling: { protectSupply: false, policy: 'planned', strictClasses: true } },
];
