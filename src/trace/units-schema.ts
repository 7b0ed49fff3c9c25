/** Quantities of the core as a trace writes them. */
import { z } from 'zod';
import { type Micros, micros, type RequestId, requestId } from '../core/units.js';

export const us = z.int().transform((value): Micros => micros(value));
export const request = z
  .int()
  .min(1)
  .transform((value): RequestId => requestId(value));
export const count = z.int().min(0);
export const name = z.string();
