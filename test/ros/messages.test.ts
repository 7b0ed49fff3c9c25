/** What is published, read back by a reader made from the same definitions. */
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { requestId } from '../../src/core/units.js';
import type { OutcomeRecord, ResultRecord } from '../../src/governor/ports.js';
import { detectionsMessage } from '../../src/ros/detections-message.js';
import { diagnosticsMessage } from '../../src/ros/diagnostics-message.js';
import { type MessageDefinition, readDefinitions } from '../../src/ros/interface-definitions.js';
import { RosMessageWriter } from '../../src/ros/message-writer.js';
import { outcomeMessage } from '../../src/ros/outcome-message.js';
import { resultMessage } from '../../src/ros/result-message.js';
import { statusMessage } from '../../src/ros/status-message.js';
import type { StreamStatus } from '../../src/telemetry/status.js';
import { IDLE_BACKEND } from '../support/idle-backend.js';
import { installInterfaces } from './interfaces.js';

const PREFIXES = [installInterfaces()];

function definitions(type: string): MessageDefinition[] {
  return readDefinitions(type, PREFIXES);
}

function roundTrip(type: string, message: object): Record<string, unknown> {
  const bytes = new RosMessageWriter(definitions(type)).write(message);
  return new MessageReader<Record<string, unknown>>(definitions(type)).readMessage(bytes);
}

/** Names of a message's fields, by its definition. */
function fieldNames(definition: MessageDefinition | undefined): string[] {
  return (definition?.definitions ?? []).filter((field) => field.isConstant !== true).map((field) => field.name);
}

const HEADER = { stamp: { sec: 1_700_000_000, nanosec: 5 }, frameId: 'front_optical' } as const;
const READ_HEADER = { stamp: { sec: 1_700_000_000, nanosec: 5 }, frame_id: 'front_optical' };

const OUTCOME: OutcomeRecord = {
  header: HEADER,
  stream: 'front',
  request: requestId(41),
  state: 'superseded',
  cause: 'newer_capture',
  ageUs: 33_000,
  waitingUs: 30_000,
  slackUs: -2000,
  deadlineMissed: true,
  supersededBy: requestId(42),
  variant: 'large',
  blockedBy: 'rear',
  detail: 'a newer frame came',
};

describe('Outcome', () => {
  it('carries every fact, with the numbers of the catalogue', () => {
    expect(roundTrip('vigilant_governor/msg/Outcome', outcomeMessage(OUTCOME))).toEqual({
      header: READ_HEADER,
      stream: 'front',
      request_id: 41n,
      state: 3,
      cause: 30,
      state_text: 'superseded',
      cause_text: 'newer_capture',
      age_us: 33_000n,
      waiting_us: 30_000n,
      service_us: -1n,
      slack_us: -2000n,
      slack_known: true,
      deadline_missed: true,
      superseded_by: 42n,
      variant: 'large',
      blocked_by: 'rear',
      detail: 'a newer frame came',
    });
  });

  it('says unknown where nothing is known, and never NaN', () => {
    const { header, stream, request, state, cause, deadlineMissed, detail } = OUTCOME;
    const bare = outcomeMessage({ header, stream, request, state, cause, deadlineMissed, detail, ageUs: Number.NaN });
    expect(bare).toMatchObject({ age_us: -1n, waiting_us: -1n, service_us: -1n, slack_us: -1n, slack_known: false });
    expect(bare).toMatchObject({ superseded_by: 0n, variant: '', blocked_by: '' });
  });

  it('has a constant for every cause of the catalogue, and no other', () => {
    const constants = definitions('vigilant_governor/msg/Outcome')[0]?.definitions.filter((field) => field.name.startsWith('CAUSE_')) ?? [];
    const declared = Object.fromEntries(constants.map((field) => [field.name.slice('CAUSE_'.length).toLowerCase(), field.value]));
    const catalogue = Object.fromEntries(Object.keys(CAUSES).map((cause) => [cause, CAUSES[cause as Cause].number]));
    expect(declared).toEqual(catalogue);
  });

  it('carries any text whole, in the header too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (frameId, detail) => {
        const message = outcomeMessage({ ...OUTCOME, header: { ...HEADER, frameId }, detail });
        const read = roundTrip('vigilant_governor/msg/Outcome', message);
        expect(read).toMatchObject({ detail, variant: 'large', header: { frame_id: frameId } });
      }),
    );
  });
});

const RESULT: ResultRecord = {
  header: HEADER,
  stream: 'front',
  request: requestId(7),
  model: 'detector',
  variant: 'large',
  modelVersion: '3',
  obsolete: true,
  deadlineMissed: true,
  ageUs: 120_000,
  waitingUs: 20_000,
  serviceUs: 90_000,
  outputs: [{ name: '537', datatype: 'FP32', shape: [1, 1, 2], data: Uint8Array.of(0, 0, 128, 63, 0, 0, 0, 64) }],
  detections: [{ classId: 0, label: '', score: 0.5, centerX: 225.5, centerY: 118, sizeX: 89, sizeY: Number.NaN }],
};

describe('InferenceResult', () => {
  it('carries tensors byte for byte and boxes in source pixels', () => {
    const read = roundTrip('vigilant_governor/msg/InferenceResult', resultMessage(RESULT));
    expect(read).toMatchObject({ header: READ_HEADER, request_id: 7n, model: 'detector', model_version: '3', obsolete: true });
    expect(read).toMatchObject({ age_us: 120_000n, waiting_us: 20_000n, service_us: 90_000n });
    const shape = BigInt64Array.of(1n, 1n, 2n);
    expect(read['outputs']).toEqual([{ name: '537', datatype: 'FP32', shape, data: RESULT.outputs[0]?.data }]);
    const box = { class_id: 0, label: '', score: 0.5, center_x: 225.5, center_y: 118, size_x: 89, size_y: -1 };
    expect(read['detections']).toEqual([box]);
  });

  it('takes the bytes of a tensor from a view into a larger buffer', () => {
    const large = Uint8Array.from({ length: 64 }, (_, index) => index);
    const outputs = [{ name: 'o', datatype: 'UINT8' as const, shape: [3], data: large.subarray(10, 13) }];
    const read = roundTrip('vigilant_governor/msg/InferenceResult', resultMessage({ ...RESULT, outputs }));
    expect(read).toMatchObject({ outputs: [{ data: Uint8Array.of(10, 11, 12) }] });
  });
});

describe('Detection2DArray', () => {
  it('carries the input header, the class and the box', () => {
    const detections = [{ classId: 4, label: 'face', score: 0.93, centerX: 225, centerY: 118, sizeX: 89, sizeY: 120 }];
    const read = roundTrip('vision_msgs/msg/Detection2DArray', detectionsMessage({ ...RESULT, detections }));
    expect(read).toMatchObject({
      header: READ_HEADER,
      detections: [
        {
          header: READ_HEADER,
          results: [{ hypothesis: { class_id: 'face', score: 0.93 }, pose: { pose: { orientation: { x: 0, y: 0, z: 0, w: 1 } } } }],
          bbox: { center: { position: { x: 225, y: 118 }, theta: 0 }, size_x: 89, size_y: 120 },
        },
      ],
    });
  });

  it('names a class without a label by its number', () => {
    expect(detectionsMessage(RESULT).detections[0]?.results[0]?.hypothesis.class_id).toBe('0');
  });
});

const STREAM: StreamStatus = {
  stream: 'front',
  received: 45,
  waiting: 1,
  inFlight: 2,
  lostBeforeNode: 3,
  outcomes: {
    delivered: 4,
    obsolete: 5,
    superseded: 6,
    stale: 7,
    infeasible: 8,
    cancelled: 9,
    backend_timeout: 1,
    backend_failed: 1,
    invalid: 1,
  },
  captureLast: { sec: 9, nanosec: 8 },
  ageLastUs: 1000,
  ageMinUs: 900,
  ageP50Us: 50_000,
  ageP95Us: 95_000,
  consumerCoveragePermille: 870,
  longestGapUs: 200_000,
  weaklyHardMisses: 3,
  weaklyHardViolated: true,
  profile: 'unmeasured',
};

describe('GovernorStatus', () => {
  const leases = { ...IDLE_BACKEND.leases, running: 1, reconciling: 1 };
  const counts = { inFlight: 2, held: 1, leases, reconciled: 6, restarts: 5, lateAnswers: 4, overloadLevel: 3 };
  const backend = { ...IDLE_BACKEND, ...counts, ready: false, trusted: false };
  const message = statusMessage({ ready: false, streams: [STREAM], backends: [backend] }, 12_000_000_034n);

  it('says when it was made, and what each stream and backend does', () => {
    const read = roundTrip('vigilant_governor/msg/GovernorStatus', message);
    expect(read).toMatchObject({ header: { stamp: { sec: 12, nanosec: 34 }, frame_id: '' }, overload_level: 3, ready: false });
    expect(read).toMatchObject({
      streams: [
        {
          stream: 'front',
          received: 45n,
          waiting: 1n,
          in_flight: 2n,
          lost_before_node: 3n,
          delivered: 4n,
          obsolete: 5n,
          superseded: 6n,
          stale: 7n,
          infeasible: 8n,
          cancelled: 9n,
          backend_timeout: 1n,
          backend_failed: 1n,
          invalid: 1n,
          capture_last: { sec: 9, nanosec: 8 },
          age_last_us: 1000n,
          age_min_us: 900n,
          age_p50_us: 50_000n,
          age_p95_us: 95_000n,
          consumer_coverage_permille: 870n,
          longest_gap_us: 200_000n,
          weakly_hard_misses: 3n,
          weakly_hard_violated: true,
          profile: 'unmeasured',
        },
      ],
      backends: [
        {
          backend: 'gpu',
          reachable: true,
          ready: false,
          slots: 2n,
          in_flight: 2n,
          held: 1n,
          quarantined: 0n,
          late_answers: 4n,
          timed_out: 0n,
          reconciling: 1n,
          awaiting_baseline: 0n,
          reconciled: 6n,
          restarts: 5n,
          trusted: false,
        },
      ],
    });
  });
});

describe('DiagnosticArray', () => {
  it('carries levels, texts and values in order', () => {
    const status = {
      name: 'governor: stream front',
      level: 1,
      message: 'No events recorded.',
      values: [
        ['hint', 'größer'],
        ['received', '0'],
      ],
    } as const;
    expect(roundTrip('diagnostic_msgs/msg/DiagnosticArray', diagnosticsMessage([status], 1_000_000_002n))).toEqual({
      header: { stamp: { sec: 1, nanosec: 2 }, frame_id: '' },
      status: [
        {
          name: 'governor: stream front',
          level: 1,
          message: 'No events recorded.',
          hardware_id: '',
          values: [
            { key: 'hint', value: 'größer' },
            { key: 'received', value: '0' },
          ],
        },
      ],
    });
  });
});

describe('every message', () => {
  const samples: readonly [string, object][] = [
    ['vigilant_governor/msg/Outcome', outcomeMessage(OUTCOME)],
    ['vigilant_governor/msg/InferenceResult', resultMessage(RESULT)],
    ['vigilant_governor/msg/Tensor', resultMessage(RESULT).outputs[0] ?? {}],
    ['vigilant_governor/msg/Detection', resultMessage(RESULT).detections[0] ?? {}],
    ['vigilant_governor/msg/GovernorStatus', statusMessage({ ready: true, streams: [], backends: [] }, 0n)],
    ['vigilant_governor/msg/StreamStatus', statusMessage({ ready: true, streams: [STREAM], backends: [] }, 0n).streams[0] ?? {}],
    [
      'vigilant_governor/msg/BackendStatus',
      statusMessage(
        {
          ready: true,
          streams: [],
          backends: [{ ...IDLE_BACKEND, backend: 'g', slots: 1 }],
        },
        0n,
      ).backends[0] ?? {},
    ],
  ];

  it.each(samples)('%s has exactly the fields of its definition', (type, message) => {
    expect(Object.keys(message).sort()).toEqual(fieldNames(definitions(type)[0]).sort());
  });
});
