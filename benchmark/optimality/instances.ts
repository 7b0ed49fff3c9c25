/** Kinds of small instances: six frames, like the first moments of the published scenarios. */
import type { Scenario } from '../../src/simulator/scenario.js';
import { parseScenario } from '../../src/simulator/scenario-file.js';

const CLOCK = 'extension: {consumer_period_ms: 33, phase_ms: 0}';

const ONE_CAMERA = `
name: one camera
run_ms: 231
load_permille: [1000, 1250, 1500]
streams:
  detector:
    class: protected
    source: {period_ms: 33, jitter_ms: 2, transport_ms: 3, stop_ms: 198}
    contract: {period_ms: 33, deadline_ms: 66, max_age_ms: 66, ${CLOCK}}
    variants: {full: {quality: 1, quality_source: measured, p50_ms: 30, p99_ms: 45}}
`;

/** It has two variants; other streams stand beside it. */
const DETECTOR = `  detector:
    class: protected
    source: {period_ms: 33, jitter_ms: 2, transport_ms: 3, stop_ms: 99}
    contract: {period_ms: 33, deadline_ms: 33, max_age_ms: 66, ${CLOCK}}
    variants:
      large: {quality: 1, quality_source: measured, p50_ms: 10, p99_ms: 16}
      small: {quality: 0.93, quality_source: measured, p50_ms: 6, p99_ms: 10}`;

const TWO_CAMERAS = `
name: two cameras
run_ms: 132
load_permille: [1000, 1250, 1500]
streams:
${DETECTOR}
  pose:
    class: high
    source: {period_ms: 33, jitter_ms: 2, transport_ms: 3, phase_ms: 11, stop_ms: 110}
    contract: {period_ms: 33, deadline_ms: 33, max_age_ms: 66, ${CLOCK}}
    variants: {full: {quality: 1, quality_source: measured, p50_ms: 8, p99_ms: 14}}
`;

const BACKGROUND = `
name: two cameras and a background
run_ms: 132
load_permille: [1000, 1250, 1500]
streams:
${DETECTOR}
  depth:
    class: high
    source: {period_ms: 66, jitter_ms: 3, transport_ms: 4, phase_ms: 7, stop_ms: 139}
    contract: {period_ms: 66, deadline_ms: 66, max_age_ms: 132, extension: {consumer_period_ms: 66, phase_ms: 0}}
    variants: {full: {quality: 1, quality_source: measured, p50_ms: 12, p99_ms: 20}}
  text:
    class: best_effort
    queue: {policy: fifo, capacity: 4}
    source: {period_ms: 132, jitter_ms: 20, transport_ms: 2, phase_ms: 21, stop_ms: 100}
    contract: {period_ms: 132, deadline_ms: 132, max_age_ms: 264, extension: {consumer_period_ms: 132, phase_ms: 0}}
    variants: {full: {quality: 1, quality_source: measured, p50_ms: 30, p99_ms: 48}}
`;

export const INSTANCES: readonly Scenario[] = [ONE_CAMERA, TWO_CAMERAS, BACKGROUND].map((text) => parseScenario(text, 'instances.ts'));
