/** The cases of `streams.*`. */
import { type Case, notBool, notNumber, notText, notWhole, positiveMs } from './parameter-case.js';

const FLOOR = { 'streams.front.contract.min_runtime.budget_ms': '0.5', 'streams.front.contract.min_runtime.window_ms': '3600000' };
const EXTENSION = 'streams.front.contract.extension';
const CYCLES = { [`${EXTENSION}.consumer_period_ms`]: '33' };
const BUDGET = `${EXTENSION}.miss_budget`;
const budget = { [`${BUDGET}.max_misses`]: '2', [`${BUDGET}.window_cycles`]: '10' };

export const STREAM_CASES: Readonly<Record<string, Case>> = {
  'streams.front.topic': {
    accepts: [
      ['camera/image_raw', 'camera/image_raw'],
      ['~/image', '~/image'],
    ],
    refuses: ['"/"', '"/a//b"', '"/a/"', '"/1a"', '"a b"', '"a-b"', ...notText],
  },
  'streams.front.type': {
    accepts: [['sensor_msgs/msg/Imu', 'sensor_msgs/msg/Imu']],
    refuses: ['sensor_msgs/Image', 'sensor_msgs/msg/PointCloud2', ...notText],
    otherwise: { value: 'sensor_msgs/msg/Image' },
  },
  'streams.front.model': { accepts: [['detector', 'detector']], refuses: notText },
  'streams.front.class': {
    accepts: [
      ['protected', 'protected'],
      ['best_effort', 'best_effort'],
    ],
    refuses: ['low', ...notText],
    otherwise: { value: 'normal' },
  },
  'streams.front.queue.policy': {
    accepts: [
      ['fifo', 'fifo'],
      ['never_drop', 'never_drop'],
    ],
    refuses: ['lifo', ...notText],
    otherwise: { value: 'latest' },
  },
  'streams.front.queue.capacity': {
    accepts: [
      ['1', 1],
      ['1000', 1000],
    ],
    refuses: [...notWhole, '0', '1001'],
    otherwise: { value: 10 },
    beside: { 'streams.front.queue.policy': 'fifo' },
  },
  'streams.front.queue.overflow': {
    accepts: [['reject_oldest', 'reject_oldest']],
    refuses: ['drop', ...notText],
    otherwise: { value: 'reject_new' },
    beside: { 'streams.front.queue.policy': 'fifo' },
  },
  'streams.front.contract.period_ms': { ...positiveMs, otherwise: { value: undefined } },
  'streams.front.contract.deadline_ms': { ...positiveMs, otherwise: { value: 100 } },
  'streams.front.contract.max_age_ms': positiveMs,
  'streams.front.contract.min_quality': {
    accepts: [
      ['0', 0],
      ['1', 1],
    ],
    refuses: [...notNumber, '-0.1', '1.1'],
    otherwise: { value: 0 },
  },
  'streams.front.contract.variant_dwell_ms': {
    accepts: [
      ['0', 0],
      ['250.5', 250.5],
    ],
    refuses: [...notNumber, '-1', '3600001'],
    otherwise: { value: 100 },
  },
  'streams.front.contract.min_runtime.budget_ms': { ...positiveMs, refuses: [...notNumber, '0', '3600001'], beside: FLOOR },
  'streams.front.contract.min_runtime.window_ms': { ...positiveMs, accepts: [['3600000', 3_600_000]], beside: FLOOR },
  'streams.front.contract.min_runtime.guarantee': {
    accepts: [['firm', 'firm']],
    refuses: ['hard', ...notText],
    otherwise: { value: 'spare' },
    beside: FLOOR,
  },
  'streams.front.contract.extension.version': { accepts: [['1', 1]], refuses: [...notWhole, '0', '2'], otherwise: { value: 1 } },
  'streams.front.contract.extension.contract_version': {
    accepts: [['7', 7]],
    refuses: [...notWhole, '-1'],
    otherwise: { value: 0 },
  },
  'streams.front.contract.extension.release_jitter_ms': {
    accepts: [
      ['0', 0],
      ['2.5', 2.5],
    ],
    refuses: [...notNumber, '-1', '3600001'],
    otherwise: { value: 0 },
  },
  'streams.front.contract.extension.approved_variants': {
    accepts: [['[full]', ['full']]],
    refuses: ['full', '[1]', '[]', '[other]'],
    otherwise: { value: undefined },
  },
  [`${EXTENSION}.consumer_period_ms`]: { ...positiveMs, otherwise: { value: undefined } },
  [`${EXTENSION}.phase_ms`]: {
    accepts: [
      ['0', 0],
      ['11.5', 11.5],
    ],
    refuses: [...notNumber, '-1'],
    otherwise: { value: undefined },
    beside: CYCLES,
  },
  [`${EXTENSION}.delivery_boundary`]: {
    accepts: [['consumer', 'consumer']],
    refuses: ['robot', ...notText],
    otherwise: { value: 'governor' },
    beside: CYCLES,
  },
  [`${EXTENSION}.delivery_semantics`]: {
    accepts: [['every_event', 'every_event']],
    refuses: ['all', ...notText],
    otherwise: { value: 'latest_state' },
    beside: { 'streams.front.queue.policy': 'fifo' },
  },
  [`${EXTENSION}.require_new_sample_each_cycle`]: {
    accepts: [['true', true]],
    refuses: notBool,
    otherwise: { value: false },
    beside: CYCLES,
  },
  [`${BUDGET}.max_misses`]: {
    accepts: [
      ['0', 0],
      ['9', 9],
    ],
    refuses: [...notWhole, '-1', '10'],
    beside: { ...CYCLES, ...budget, [`${BUDGET}.max_consecutive`]: '0' },
  },
  [`${BUDGET}.window_cycles`]: {
    accepts: [
      ['3', 3],
      ['1024', 1024],
    ],
    refuses: [...notWhole, '0', '1025'],
    beside: { ...CYCLES, ...budget },
  },
  [`${BUDGET}.max_consecutive`]: {
    accepts: [['1', 1]],
    refuses: [...notWhole, '-1', '3'],
    otherwise: { value: 2 },
    beside: { ...CYCLES, ...budget },
  },
  [`${BUDGET}.mandatory_cycles`]: {
    accepts: [['true', true]],
    refuses: notBool,
    otherwise: { value: false },
    beside: { ...CYCLES, ...budget },
  },
  [`${EXTENSION}.evidence_required`]: {
    accepts: [['observed', 'observed']],
    refuses: ['proven', ...notText],
    otherwise: { value: 'observed' },
  },
  'streams.front.stamp_source': { accepts: [['receive', 'receive']], refuses: ['none', ...notText], otherwise: { value: 'header' } },
  'streams.front.stamp_offset_ms': {
    accepts: [
      ['-37000', -37_000],
      ['0.5', 0.5],
    ],
    refuses: [...notNumber, '86400001'],
    otherwise: { value: 0 },
  },
  'streams.front.future_tolerance_ms': { accepts: [['0', 0]], refuses: [...notNumber, '-1'], otherwise: { value: 50 } },
  'streams.front.qos.preset': {
    accepts: [
      ['reliable', 'reliable'],
      ['sensor_data', 'sensor_data'],
    ],
    refuses: ['best_effort', ...notText],
    otherwise: { value: 'auto' },
  },
  'streams.front.qos.depth': { accepts: [['5', 5]], refuses: [...notWhole, '0', '1001'], otherwise: { value: undefined } },
  'streams.front.publish_obsolete': {
    accepts: [['true', true]],
    refuses: notBool,
    otherwise: { value: false },
    beside: { 'models.detector.output.decoder': 'centerface' },
  },
  'streams.front.max_message_bytes': { accepts: [['1', 1]], refuses: [...notWhole, '0', '1073741825'], otherwise: { value: 67_108_864 } },
};
