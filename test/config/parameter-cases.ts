/** What each parameter takes, refuses and is by default. A test sees that every parameter of the schema has its case. */
import { type Case, notBool, notNumber, notText, notWhole, positiveMs } from './parameter-case.js';
import { STREAM_CASES } from './stream-parameter-cases.js';

const runtimeUs = { accepts: [['5000', 5000]], refuses: [...notWhole, '0', '-1'] } as const;
const profile = { p50_us: '5000', p95_us: '5000', p99_us: '5000' };
const besideInProfile = Object.fromEntries(
  Object.entries(profile).map(([key, value]) => [`models.detector.variants.full.profile.${key}`, value]),
);
const FP32 = { 'models.detector.input.datatype': 'FP32' };

const TLS = { 'backends.gpu.tls.ca_file': 'ca.pem' };
const pemFile = {
  accepts: [['/etc/vig/some.pem', '/etc/vig/some.pem']],
  refuses: [...notText, '""'],
} as const;

export const CASES: Readonly<Record<string, Case>> = {
  autostart: {
    accepts: [
      ['false', false],
      ['on', true],
    ],
    refuses: notBool,
    otherwise: { value: true },
  },
  drain_timeout_ms: {
    accepts: [
      ['0', 0],
      ['12.5', 12.5],
    ],
    refuses: [...notNumber, '-1', '3600001'],
    otherwise: { value: 5000 },
  },
  'metrics.port': {
    accepts: [
      ['0', 0],
      ['65535', 65_535],
    ],
    refuses: [...notWhole, '-1', '65536'],
    otherwise: { value: 9464 },
  },
  'metrics.host': { accepts: [['0.0.0.0', '0.0.0.0']], refuses: [...notText, '""'], otherwise: { value: '127.0.0.1' } },
  'scheduling.policy': { accepts: [['ordered', 'ordered']], refuses: ['edf', '1', '[planned]'], otherwise: { value: 'planned' } },
  'scheduling.strict_classes': { accepts: [['true', true]], refuses: notBool, otherwise: { value: false } },
  'scheduling.protect_supply': { accepts: [['true', true]], refuses: notBool, otherwise: { value: false } },
  'overload.enabled': { accepts: [['false', false]], refuses: notBool, otherwise: { value: true } },
  'overload.enter_permille': {
    accepts: [['[60, 120, 300, 1000]', [60, 120, 300, 1000]]],
    refuses: ['5', 'x', '[1, 2, 3]', '[1, 2, 3, 1001]', '[1, 2, 3, 4.5]', '[1, 2, 3, 4, 5]'],
    otherwise: { value: [50, 100, 200, 400] },
  },
  'overload.leave_permille': {
    accepts: [['[0, 10, 30, 100]', [0, 10, 30, 100]]],
    refuses: ['5', 'x', '[1, 2, 3]', '[-1, 2, 3, 4]'],
    otherwise: { value: [20, 50, 100, 200] },
  },
  'overload.dwell_ms': {
    accepts: [
      ['0', 0],
      ['50.5', 50.5],
    ],
    refuses: [...notNumber, '-1'],
    otherwise: { value: 200 },
  },
  'overload.min_violations': { accepts: [['5', 5]], refuses: ['0', '1.5', 'x'], otherwise: { value: 2 } },
  'learning.margin_percent': {
    accepts: [
      ['100', 100],
      ['120.5', 120.5],
    ],
    refuses: [...notNumber, '99', '1001'],
    otherwise: { value: 110 },
  },
  'learning.adapt': { accepts: [['false', false]], refuses: notBool, otherwise: { value: true } },
  'learning.ceiling_percent': {
    accepts: [
      ['110', 110],
      ['1000', 1000],
    ],
    refuses: [...notNumber, '109', '1001'],
    otherwise: { value: 300 },
  },
  'learning.state_file': {
    accepts: [['/var/lib/vig/learned.json', '/var/lib/vig/learned.json']],
    refuses: notText,
    otherwise: { value: '' },
  },
  'trace.file': { accepts: [['/tmp/drive.trace', '/tmp/drive.trace']], refuses: notText, otherwise: { value: '' } },
  'trace.max_part_mb': {
    accepts: [
      ['1', 1],
      ['4096', 4096],
    ],
    refuses: [...notWhole, '0', '4097'],
    otherwise: { value: 32 },
  },
  'trace.parts': {
    accepts: [
      ['1', 1],
      ['1000', 1000],
    ],
    refuses: [...notWhole, '0', '1001'],
    otherwise: { value: 128 },
  },
  'backends.gpu.type': { accepts: [['reference', 'reference']], refuses: ['tensorrt', ...notText], otherwise: { value: 'triton' } },
  'backends.gpu.endpoint': {
    accepts: [
      ['robot-gpu.local:8001', 'robot-gpu.local:8001'],
      ['"[::1]:8001"', '[::1]:8001'],
    ],
    refuses: ['http://127.0.0.1:8001', '127.0.0.1', '":8001"', ...notText],
    otherwise: { value: '127.0.0.1:8001' },
  },
  'backends.gpu.slots': {
    accepts: [
      ['4', 4],
      ['2.0', 2],
      ['0x10', 16],
    ],
    refuses: [...notWhole, '0', '257'],
    beside: { 'backends.gpu.type': 'triton' },
  },
  'backends.gpu.pipelining_depth': {
    accepts: [
      ['0', 0],
      ['8', 8],
    ],
    refuses: [...notWhole, '-1', '9'],
    otherwise: { value: 1 },
  },
  'backends.gpu.pipelining_lead_ms': {
    accepts: [
      ['0', 0],
      ['2.5', 2.5],
    ],
    refuses: [...notNumber, '-1'],
    otherwise: { value: undefined },
  },
  'backends.gpu.transport': {
    accepts: [
      ['inline', 'inline'],
      ['shared_memory', 'shared_memory'],
    ],
    refuses: ['tcp', ...notText],
    otherwise: { value: 'auto' },
  },
  'backends.gpu.timeout_ms': { ...positiveMs, otherwise: { value: 1000 } },
  'backends.gpu.trust': { accepts: [['strict', 'strict']], refuses: ['blind', ...notText], otherwise: { value: 'open' } },
  'backends.gpu.tls.ca_file': { ...pemFile, beside: { 'backends.gpu.tls.server_name': 'triton.local' } },
  'backends.gpu.tls.certificate_file': {
    ...pemFile,
    beside: { ...TLS, 'backends.gpu.tls.key_file': 'own.key' },
    otherwise: { value: undefined, beside: TLS },
  },
  'backends.gpu.tls.key_file': {
    ...pemFile,
    beside: { ...TLS, 'backends.gpu.tls.certificate_file': 'own.pem' },
    otherwise: { value: undefined, beside: TLS },
  },
  'backends.gpu.tls.server_name': {
    accepts: [['triton.local', 'triton.local']],
    refuses: ['"triton.local:8001"', '""', ...notText],
    otherwise: { value: undefined },
    beside: TLS,
  },
  'backends.gpu.no_corun': {
    accepts: [
      ['["detector|other"]', ['detector|other']],
      ['[]', []],
    ],
    refuses: ['"detector|other"', '[detector]', '["a|b|c"]', '[1]', '["detector|other", 1]'],
    otherwise: { value: [] },
    beside: { 'models.other.backend': 'gpu', 'models.other.variants.full.backend_model': 'other' },
  },
  'models.detector.backend': { accepts: [['gpu', 'gpu']], refuses: notText },
  'models.detector.instances': { accepts: [['2', 2]], refuses: [...notWhole, '0', '257'], otherwise: { value: undefined } },
  'models.detector.stateful': {
    accepts: [['true', true]],
    refuses: notBool,
    otherwise: { value: false },
    beside: { 'streams.front.queue.policy': 'fifo' },
  },
  'models.detector.variants.full.backend_model': {
    accepts: [['"a b"', 'a b']],
    refuses: [...notText, '""'],
    beside: { 'models.detector.variants.full.quality': '1' },
  },
  'models.detector.variants.full.version': {
    accepts: [
      ['"3"', '3'],
      ['""', ''],
    ],
    refuses: ['3', 'latest', '[a]'],
    otherwise: { value: '' },
  },
  'models.detector.variants.full.quality': {
    accepts: [
      ['0', 0],
      ['0.93', 0.93],
      ['1', 1],
    ],
    refuses: [...notNumber, '-0.1', '1.1'],
    otherwise: { value: 1 },
  },
  'models.detector.variants.full.quality_source': {
    accepts: [
      ['declared', 'declared'],
      ['measured', 'measured'],
    ],
    refuses: ['guessed', ...notText],
    otherwise: { value: 'unknown' },
  },
  'models.detector.variants.full.preprocess_us': {
    accepts: [
      ['0', 0],
      ['2400', 2400],
    ],
    refuses: [...notWhole, '-1'],
    otherwise: { value: 0 },
  },
  'models.detector.variants.full.profile.p50_us': { ...runtimeUs, beside: besideInProfile },
  'models.detector.variants.full.profile.p95_us': { ...runtimeUs, beside: besideInProfile },
  'models.detector.variants.full.profile.p99_us': { ...runtimeUs, beside: besideInProfile },
  'models.detector.input.name': { accepts: [['input.1', 'input.1']], refuses: [...notText, '""'], otherwise: { value: undefined } },
  'models.detector.input.layout': { accepts: [['nchw', 'nchw']], refuses: ['hwc', ...notText], otherwise: { value: 'nhwc' } },
  'models.detector.input.datatype': { accepts: [['FP32', 'FP32']], refuses: ['fp32', 'FP16', ...notText], otherwise: { value: 'UINT8' } },
  'models.detector.input.width': {
    accepts: [['640', 640]],
    refuses: [...notWhole, '0', '16385'],
    otherwise: { value: undefined, beside: {} },
    beside: { 'models.detector.input.height': '480' },
  },
  'models.detector.input.height': {
    accepts: [['480', 480]],
    refuses: [...notWhole, '0', '16385'],
    otherwise: { value: undefined, beside: {} },
    beside: { 'models.detector.input.width': '640' },
  },
  'models.detector.input.resize': {
    accepts: [
      ['letterbox', 'letterbox'],
      ['crop', 'crop'],
    ],
    refuses: ['fit', ...notText],
    otherwise: { value: 'stretch' },
  },
  'models.detector.input.color_order': {
    accepts: [
      ['bgr', 'bgr'],
      ['gray', 'gray'],
    ],
    refuses: ['rgba', ...notText],
    otherwise: { value: 'rgb' },
  },
  'models.detector.input.scale': {
    accepts: [['0.00392', 0.00392]],
    refuses: [...notNumber, '0', '-1'],
    otherwise: { value: 1 },
    beside: FP32,
  },
  'models.detector.input.mean': {
    accepts: [
      ['[0, 1.5, -2]', [0, 1.5, -2]],
      ['[]', []],
    ],
    refuses: ['1', '[a, b, c]', '[.nan, 0, 0]', '[0, 0, 0, 0]', 'text'],
    otherwise: { value: [] },
    beside: FP32,
  },
  'models.detector.input.std': {
    accepts: [
      ['[1, 1, 0.5]', [1, 1, 0.5]],
      ['[]', []],
    ],
    refuses: ['1', '[0, 1, 1]', '[-1, 1, 1]', '[.inf, 1, 1]'],
    otherwise: { value: [] },
    beside: FP32,
  },
  'models.detector.input.batch_dimension': { accepts: [['false', false]], refuses: notBool, otherwise: { value: true } },
  'models.detector.output.decoder': {
    accepts: [['centerface', 'centerface']],
    refuses: ['yolo', ...notText],
    otherwise: { value: 'none' },
  },
  'models.detector.output.tensors': {
    accepts: [
      ['["537", "538"]', ['537', '538']],
      ['[]', []],
    ],
    refuses: ['[537]', 'a', '[""]'],
    otherwise: { value: [] },
    beside: { 'models.detector.output.decoder': 'centerface' },
  },
  'models.detector.output.labels': {
    accepts: [
      ['[face, "no"]', ['face', 'no']],
      ['[]', []],
    ],
    refuses: ['[no]', 'face', '[1]'],
    otherwise: { value: [] },
    beside: { 'models.detector.output.decoder': 'centerface' },
  },
  'models.detector.output.score_threshold': {
    accepts: [
      ['0', 0],
      ['0.9', 0.9],
      ['1', 1],
    ],
    refuses: [...notNumber, '-0.1', '1.1'],
    otherwise: { value: 0.5 },
  },
  'models.detector.output.iou_threshold': {
    accepts: [
      ['0.9', 0.9],
      ['1', 1],
    ],
    refuses: [...notNumber, '-0.1', '1.1'],
    otherwise: { value: 0.3 },
  },
  'models.detector.output.max_detections': { accepts: [['1', 1]], refuses: [...notWhole, '0', '10001'], otherwise: { value: 100 } },
  ...STREAM_CASES,
};
