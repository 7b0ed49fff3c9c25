import { describe, expect, test } from 'vitest';
import { configure, configureText, problemsOf, problemsWith, SMALLEST } from './configure.js';

const OTHER_MODEL = { 'models.segmenter.backend': 'gpu', 'models.segmenter.variants.full.backend_model': 'unet' };
const REAR = { 'streams.rear.topic': '/rear/image_raw', 'streams.rear.model': 'detector', 'streams.rear.contract.max_age_ms': '200' };
const CPU = { 'backends.cpu.slots': '1' };
const FP32 = { 'models.detector.input.datatype': 'FP32' };
const EXTENSION = 'streams.front.contract.extension';
const CYCLES = { [`${EXTENSION}.consumer_period_ms`]: '33' };
const BUDGET = `${EXTENSION}.miss_budget`;
const missBudget = (max: number, window: number, inRow: number) => ({
  [`${BUDGET}.max_misses`]: `${max}`,
  [`${BUDGET}.window_cycles`]: `${window}`,
  [`${BUDGET}.max_consecutive`]: `${inRow}`,
});

const profile = (p50: number, p95: number, p99: number) =>
  Object.fromEntries(
    Object.entries({ p50, p95, p99 }).map(([key, value]) => [`models.detector.variants.full.profile.${key}_us`, `${value}`]),
  );

const APPROVED = 'streams.front.contract.extension.approved_variants';

test('the smallest configuration is right', () => {
  expect(problemsWith({})).toEqual([]);
});

/** Line numbers: the six lines of SMALLEST stand in lines 3 to 8, what is added in the lines after. */
const REFUSED: readonly (readonly [title: string, changes: Readonly<Record<string, string | undefined>>, problems: readonly string[]])[] = [
  [
    'an unknown parameter',
    { 'streams.front.contract.max_age': '100' },
    ['r.yaml:9: streams.front.contract.max_age is 100: no such parameter; did you mean streams.front.contract.max_age_ms?'],
  ],
  [
    'a parameter in the wrong group',
    { 'streams.front.deadline_ms': '100' },
    ['r.yaml:9: streams.front.deadline_ms is 100: no such parameter; did you mean streams.front.contract.deadline_ms?'],
  ],
  ['an unknown group', { 'backend.gpu.slots': '1' }, ['r.yaml:9: backend: no such parameter; did you mean backends?']],
  [
    'an unknown parameter that resembles nothing',
    { 'metrics.xyzzy': '1' },
    ['r.yaml:9: metrics.xyzzy is 1: no such parameter; expected a group with the keys port, host'],
  ],
  [
    'a stream with a model that is not there',
    { 'streams.front.model': 'detektor' },
    ['r.yaml:7: streams.front.model is "detektor": there is no model detektor; did you mean detector?'],
  ],
  [
    'a stream with a model that resembles none',
    { ...OTHER_MODEL, 'streams.front.model': 'x' },
    ['r.yaml:7: streams.front.model is "x": there is no model x; expected one of detector, segmenter'],
  ],
  [
    'a model with a backend that is not there',
    { 'models.detector.backend': 'triton' },
    ['r.yaml:4: models.detector.backend is "triton": there is no backend triton; expected one of gpu'],
  ],
  [
    'a model without any backend',
    { 'backends.gpu.slots': undefined },
    ['r.yaml:3: models.detector.backend is "gpu": there is no backend gpu; none is declared under backends'],
  ],
  [
    'two streams on one topic',
    { ...REAR, 'streams.rear.topic': 'front/image_raw' },
    ['r.yaml:9: streams.rear.topic is "front/image_raw": stream front has topic /front/image_raw already; a topic belongs to one stream'],
  ],
  [
    'a model without variants',
    { 'models.detector.variants.full.backend_model': undefined },
    ['r.yaml:4: models.detector.variants.<name>.backend_model: is missing; expected the name of the model at the server'],
  ],
  [
    'two variants on one model of the server',
    { 'models.detector.variants.small.backend_model': 'centerface' },
    [
      'r.yaml:9: models.detector.variants.small.backend_model is "centerface": variant full has it already; each variant needs a model of its own at the server',
    ],
  ],
  [
    'no_corun with a model that is not there',
    { 'backends.gpu.no_corun': '["detector|segmentor"]', ...OTHER_MODEL },
    [
      'r.yaml:9: backends.gpu.no_corun is ["detector|segmentor"]: "detector|segmentor": there is no model segmentor; did you mean segmenter?',
    ],
  ],
  [
    'no_corun across backends',
    { ...OTHER_MODEL, ...CPU, 'models.segmenter.backend': 'cpu', 'backends.gpu.no_corun': '["detector|segmenter"]' },
    [
      'r.yaml:12: backends.gpu.no_corun is ["detector|segmenter"]: "detector|segmenter": model segmenter is on backend cpu; only models of gpu can be kept apart here',
    ],
  ],
  [
    'no_corun of a model with itself',
    { 'backends.gpu.no_corun': '["detector|detector"]' },
    [
      'r.yaml:9: backends.gpu.no_corun is ["detector|detector"]: "detector|detector" names one model twice; to run a model once at a time give its backend slots: 1',
    ],
  ],
  [
    'a certificate without its key',
    { 'backends.gpu.tls.ca_file': 'ca.pem', 'backends.gpu.tls.certificate_file': 'own.pem' },
    ['r.yaml:10: backends.gpu.tls.certificate_file is "own.pem": goes with key_file; give both or none'],
  ],
  [
    'a key without its certificate',
    { 'backends.gpu.tls.ca_file': 'ca.pem', 'backends.gpu.tls.key_file': 'own.key' },
    ['r.yaml:10: backends.gpu.tls.key_file is "own.key": goes with certificate_file; give both or none'],
  ],
  [
    'reject_oldest for a guarded class',
    { 'streams.front.class': 'high', 'streams.front.queue.policy': 'fifo', 'streams.front.queue.overflow': 'reject_oldest' },
    [
      'r.yaml:11: streams.front.queue.overflow is "reject_oldest": drops accepted work, which class high must not; expected reject_new, or class best_effort or normal',
    ],
  ],
  [
    'reject_oldest without a queue that can overflow so',
    { 'streams.front.queue.policy': 'never_drop', 'streams.front.queue.overflow': 'reject_oldest' },
    ['r.yaml:10: streams.front.queue.overflow is "reject_oldest": is for policy fifo only, and this is never_drop; expected reject_new'],
  ],
  [
    'more than the latest',
    { 'streams.front.queue.capacity': '2' },
    ['r.yaml:9: streams.front.queue.capacity is 2: must be 1 for policy latest, which keeps the newest; for more use fifo or never_drop'],
  ],
  [
    'a stamp from a message without header',
    { 'streams.front.type': 'std_msgs/msg/Float32MultiArray' },
    ['r.yaml:6: streams.front.stamp_source: must be receive: std_msgs/msg/Float32MultiArray has no header to take a stamp from'],
  ],
  [
    'a decoder for what is not an image',
    { 'streams.front.type': 'sensor_msgs/msg/Imu', 'models.detector.output.decoder': 'centerface' },
    ['r.yaml:7: streams.front.model is "detector": has decoder centerface, which needs images, and this stream is sensor_msgs/msg/Imu'],
  ],
  [
    'obsolete detections without a decoder',
    { 'streams.front.publish_obsolete': 'true' },
    ['r.yaml:9: streams.front.publish_obsolete is true: has no effect: model detector has no decoder, so there is no decoded topic'],
  ],
  [
    'names for a decoder that is not there',
    { 'models.detector.output.tensors': '["537"]', 'models.detector.output.labels': '[face]' },
    [
      'r.yaml:9: models.detector.output.tensors is ["537"]: has no effect without a decoder; set output.decoder',
      'r.yaml:10: models.detector.output.labels is ["face"]: has no effect without a decoder; set output.decoder',
    ],
  ],
  [
    'levels that are not entered one after the other',
    { 'overload.enter_permille': '[50, 110, 110, 400]' },
    ['r.yaml:9: overload.enter_permille is [50, 110, 110, 400]: level 3 has 110 after 110; expected each higher than the one before'],
  ],
  [
    'a level that is left where it is entered',
    { 'overload.leave_permille': '[20, 50, 200, 200]' },
    ['r.yaml:9: overload.leave_permille is [20, 50, 200, 200]: level 3 has 200 and is entered at 200; expected less than that'],
  ],
  [
    'a miss budget that binds nothing',
    { ...CYCLES, ...missBudget(10, 10, 11) },
    [
      `r.yaml:10: ${BUDGET}.max_misses is 10: 10 of 10 cycles binds nothing; expected less than window_cycles`,
      `r.yaml:12: ${BUDGET}.max_consecutive is 11: 11 in a row of at most 10 binds nothing; expected at most max_misses`,
    ],
  ],
  [
    'a miss budget of no cycles, nor anything else that counts them',
    {
      ...missBudget(1, 10, 1),
      [`${EXTENSION}.phase_ms`]: '0',
      [`${EXTENSION}.delivery_boundary`]: 'consumer',
      [`${EXTENSION}.require_new_sample_each_cycle`]: 'true',
    },
    [
      `r.yaml:9: ${BUDGET}: counts cycles of the consumer; give extension.consumer_period_ms too`,
      `r.yaml:13: ${EXTENSION}.delivery_boundary is "consumer": consumer needs the cycles of the consumer; give extension.consumer_period_ms too`,
      `r.yaml:12: ${EXTENSION}.phase_ms is 0: needs the cycles of the consumer; give extension.consumer_period_ms too`,
      `r.yaml:14: ${EXTENSION}.require_new_sample_each_cycle is true: needs the cycles of the consumer; give extension.consumer_period_ms too`,
    ],
  ],
  [
    'events that a queue of one would skip',
    { [`${EXTENSION}.delivery_semantics`]: 'every_event' },
    [
      `r.yaml:9: ${EXTENSION}.delivery_semantics is "every_event": every_event must not skip frames, and queue.policy is latest; expected fifo or never_drop there`,
    ],
  ],
  [
    'a sequence in a model without a memory, that another stream uses too',
    {
      [`${EXTENSION}.delivery_semantics`]: 'stateful_sequence',
      'streams.front.queue.policy': 'fifo',
      'streams.rear.topic': '/rear',
      'streams.rear.model': 'detector',
      'streams.rear.contract.max_age_ms': '100',
    },
    [
      `r.yaml:9: ${EXTENSION}.delivery_semantics is "stateful_sequence": stateful_sequence needs a stateful model; set models.detector.stateful, or expect every_event`,
      `r.yaml:9: ${EXTENSION}.delivery_semantics is "stateful_sequence": stateful_sequence needs a model of its own; stream rear uses detector too`,
    ],
  ],
  [
    'a floor of more than all the time, for a class that needs none',
    {
      'streams.front.contract.min_runtime.budget_ms': '11',
      'streams.front.contract.min_runtime.window_ms': '10',
      'streams.front.class': 'high',
    },
    [
      'r.yaml:9: streams.front.contract.min_runtime: is for class best_effort and normal; class high goes before them anyhow',
      'r.yaml:9: streams.front.contract.min_runtime.budget_ms is 11: 11 of 10 ms; expected at most window_ms',
    ],
  ],
  [
    'a margin above its ceiling',
    { 'learning.margin_percent': '150', 'learning.ceiling_percent': '140' },
    ['r.yaml:10: learning.ceiling_percent is 140: is below margin_percent, which is 150; expected at least that'],
  ],
  [
    'an approval of nothing',
    { [APPROVED]: '[]' },
    [`r.yaml:9: ${APPROVED} is []: approves nothing; expected the names of the variants that may be used`],
  ],
  [
    'an approval of a variant that is not there',
    { [APPROVED]: '[full, fulll]' },
    [`r.yaml:9: ${APPROVED} is ["full", "fulll"]: there is no variant fulll; did you mean full?`],
  ],
  [
    'a quality that no approved variant reaches',
    {
      'models.detector.variants.full.quality': '0.5',
      'models.detector.variants.big.backend_model': 'big',
      [APPROVED]: '[full]',
      'streams.front.contract.min_quality': '0.6',
    },
    ['r.yaml:12: streams.front.contract.min_quality is 0.6: no approved variant of model detector reaches it; the best has 0.5'],
  ],
  [
    'a stateful model that would not see every frame',
    { 'models.detector.stateful': 'true', 'streams.front.queue.policy': 'latest' },
    ['r.yaml:10: streams.front.queue.policy is "latest": skips frames, and model detector is stateful; expected fifo or never_drop'],
  ],
  [
    'mean for three channels of one',
    { ...FP32, 'models.detector.input.color_order': 'gray', 'models.detector.input.mean': '[1, 2, 3]' },
    ['r.yaml:11: models.detector.input.mean is [1, 2, 3]: 3 numbers, but color_order gray has 1; expected one a channel, or an empty list'],
  ],
  [
    'std for one channel of three',
    { ...FP32, 'models.detector.input.std': '[2]' },
    ['r.yaml:10: models.detector.input.std is [2]: 1 numbers, but color_order rgb has 3; expected one a channel, or an empty list'],
  ],
  [
    'normalisation of bytes',
    { 'models.detector.input.scale': '0.5' },
    ['r.yaml:9: models.detector.input.scale is 0.5: has no effect on datatype UINT8; expected datatype FP32'],
  ],
  [
    'width without height',
    { 'models.detector.input.width': '640' },
    ['r.yaml:9: models.detector.input.width is 640: goes with height; give both or none'],
  ],
  [
    'height without width',
    { 'models.detector.input.height': '480' },
    ['r.yaml:9: models.detector.input.height is 480: goes with width; give both or none'],
  ],
  [
    'a profile that does not ascend',
    profile(9000, 8000, 12_000),
    [
      'r.yaml:9: models.detector.variants.full.profile: p50_us, p95_us, p99_us are 9000, 8000, 12000; expected each at least as long as the one before',
    ],
  ],
  [
    'a name that cannot be a topic',
    { 'streams.Front-1.topic': '/x' },
    ['r.yaml:9: streams.Front-1.topic: expected a name of letters, digits and underscores, or several joined by dots'],
  ],
  [
    'a name with a capital',
    { ...Object.fromEntries(Object.entries(REAR).map(([key, value]) => [key.replace('rear', 'Rear'), value])) },
    [
      'r.yaml:9: streams.Rear: not a usable name: expected a small letter, then small letters, digits or underscores, at most 64 (it becomes part of topic names)',
    ],
  ],
];

describe('is refused', () => {
  test.each(REFUSED)('%s', (_, changes, problems) => {
    expect(problemsWith(changes)).toEqual(problems);
  });

  test('a list with several wrong elements, once', () => {
    expect(problemsWith({ 'models.detector.output.labels': '[1, 2, true]' })).toEqual([
      'r.yaml:9: models.detector.output.labels is [1, 2, true]: expected a list of class names',
    ]);
  });

  test('nothing to do', () => {
    const nothing = Object.fromEntries(
      Object.keys(SMALLEST).map((key) => [key, key.startsWith('streams') ? undefined : SMALLEST[key as keyof typeof SMALLEST]]),
    );
    expect(problemsWith(nothing)).toEqual(['streams: there are none; add streams.<name> with topic, model and contract.max_age_ms']);
  });

  test('everything at once, in one report', () => {
    const problems = problemsWith({
      'streams.front.model': 'x',
      'backends.gpu.slots': '1.5',
      'streams.front.clas': 'high',
      autostart: '1',
    });
    expect(problems).toEqual([
      'r.yaml:10: autostart is 1: expected true or false',
      'r.yaml:3: backends.gpu.slots is 1.5: expected a whole number from 1 to 256',
      'r.yaml:9: streams.front.clas is "high": no such parameter; did you mean streams.front.class?',
    ]);
  });
});

describe('is accepted', () => {
  test('a deadline beyond max_age', () => {
    expect(configure({ 'streams.front.contract.deadline_ms': '500' }).streams['front']?.contract).toMatchObject({
      deadline_ms: 500,
      max_age_ms: 100,
    });
  });

  test('a profile of equal times', () => {
    expect(problemsWith(profile(5, 5, 5))).toEqual([]);
  });

  test('the same model of the server under two logical models', () => {
    expect(problemsWith({ ...OTHER_MODEL, 'models.segmenter.variants.full.backend_model': 'centerface' })).toEqual([]);
  });

  test('pairs of models in either order', () => {
    expect(problemsWith({ ...OTHER_MODEL, 'backends.gpu.no_corun': '["segmenter|detector"]' })).toEqual([]);
  });

  test('reject_oldest on a fifo of class best_effort', () => {
    const queue = { 'streams.front.queue.policy': 'fifo', 'streams.front.queue.overflow': 'reject_oldest' };
    expect(problemsWith({ ...queue, 'streams.front.class': 'best_effort' })).toEqual([]);
  });

  test('Float32MultiArray stamped at reception', () => {
    expect(problemsWith({ 'streams.front.type': 'std_msgs/msg/Float32MultiArray', 'streams.front.stamp_source': 'receive' })).toEqual([]);
  });
});

test('topics are compared as the node resolves them', () => {
  const lines = Object.entries({ ...SMALLEST, ...REAR, 'streams.front.topic': '/robot/a', 'streams.rear.topic': 'a' });
  const text = ['/robot/governor:', '  ros__parameters:', ...lines.map(([key, value]) => `    ${key}: ${value}`)].join('\n');
  expect(problemsOf(() => configureText(text, { name: 'governor', namespace: '/robot' })).join()).toContain('has topic /robot/a already');
  expect(problemsOf(() => configureText(text.replaceAll('/robot/governor', '/x/governor'), { name: 'governor', namespace: '/x' }))).toEqual(
    [],
  );
});

/** One mistake is said once, not again as what follows from it. */
test('a name that is none does not break on', () => {
  const text = (stream: string, model: string) =>
    `governor:\n  ros__parameters:\n    backends.gpu.slots: 1\n    models:\n      ${model}: {backend: gpu, variants: {full: {backend_model: c}}}\n    streams:\n      ${stream}: {topic: /t, model: ${model}, contract: {max_age_ms: 100}}\n`;
  expect(problemsOf(() => configureText(text('f-x', 'd')))).toEqual([expect.stringMatching(/^r\.yaml:7: streams\.f-x: expected a name/)]);
  expect(problemsOf(() => configureText(text('f', 'd-x')))).toEqual([expect.stringMatching(/^r\.yaml:5: models\.d-x: expected a name/)]);
  expect(problemsOf(() => configureText(text('f', 'd')))).toEqual([]);
});

test.each([
  ['streams.front.model', '', ['r.yaml:7: streams.front.model: has no value; write one, or remove the line']],
  ['models.detector.backend', '', ['r.yaml:4: models.detector.backend: has no value; write one, or remove the line']],
  ['streams.front.contract', '', ['r.yaml:8: streams.front.contract: has no value; write one, or remove the line']],
])('%s without a value is not missing too', (key, value, problems) => {
  const without = key === 'streams.front.contract' ? { 'streams.front.contract.max_age_ms': undefined } : {};
  expect(problemsWith({ ...without, [key]: value })).toEqual(problems);
});

test('a misspelt group is not missing too', () => {
  const text = `governor:\n  ros__parameters:\n    backends.gpu.slots: 1\n    models.detector:\n      backend: gpu\n      varients: {full: {backend_model: centerface}}\n    streams.front: {topic: /t, model: detector, contract: {max_age_ms: 100}}\n`;
  expect(problemsOf(() => configureText(text))).toEqual([
    'r.yaml:6: models.detector.varients: no such parameter; did you mean models.detector.variants?',
  ]);
});

test('a variant of no name is one mistake', () => {
  const changes = { 'models.detector.variants.full.backend_model': undefined, 'models.detector.variants': '{fu-ll: {backend_model: c}}' };
  expect(problemsWith(changes)).toEqual([expect.stringContaining('models.detector.variants.fu-ll: expected a name')]);
});
