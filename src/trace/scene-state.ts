/** What a scene knows at one instant, so that it can be followed from there on: the head of a part holds it. */
import { z } from 'zod';
import type { Micros, RequestId } from '../core/units.js';
import { dispatchSchema } from './action-schema.js';
import type { RunningCall } from './running.js';
import { count, name, request, us } from './units-schema.js';

export interface ModelReadiness {
  readonly backend: string;
  readonly backendModel: string;
  readonly ready: boolean;
}

export interface OverloadLevel {
  readonly backend: string;
  readonly level: number;
}

export interface Waiting {
  readonly request: RequestId;
  readonly stream: string;
  readonly sinceUs: Micros;
}

/** What the newest decision on a variant planned with, and when. */
export interface VariantPlan {
  readonly model: string;
  readonly variant: string;
  readonly plannedUs: Micros;
  readonly at: Micros;
}

export interface SceneState {
  readonly readiness: readonly ModelReadiness[];
  readonly levels: readonly OverloadLevel[];
  readonly waiting: readonly Waiting[];
  readonly running: readonly RunningCall[];
  readonly plans: readonly VariantPlan[];
}

export const sceneSchema: z.ZodType<SceneState> = z.strictObject({
  readiness: z.array(z.strictObject({ backend: name, backendModel: name, ready: z.boolean() })),
  levels: z.array(z.strictObject({ backend: name, level: count })),
  waiting: z.array(z.strictObject({ request, stream: name, sinceUs: us })),
  running: z.array(
    z.strictObject({ dispatch: dispatchSchema, sentUs: us, startedUs: z.optional(us), held: z.boolean(), returned: z.boolean() }),
  ),
  plans: z.array(z.strictObject({ model: name, variant: name, plannedUs: us, at: us })),
});
