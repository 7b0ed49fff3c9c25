import { describe, expect, test } from 'vitest';
import { codecOf, HEADER, imageOf, metadataOf, sourceOf } from './fixtures.js';

const CENTERFACE = metadataOf(
  [{ name: 'input.1', datatype: 'FP32', shape: [1, 3, -1, -1] }],
  ['537', '538', '539', '540'].map((name) => ({ name, datatype: 'FP32', shape: [1, -1, -1, -1] })),
);
const FITTING = { datatype: 'FP32', layout: 'nchw' } as const;

describe('metadata of the server', () => {
  test('that agree give the frame the name of the input', () => {
    const codec = codecOf({ input: FITTING, output: { decoder: 'centerface' } });
    expect(codec.mismatch('only', CENTERFACE)).toBeUndefined();
    const frame = codec.frame(HEADER, imageOf());
    expect([frame.stream, frame.header]).toEqual(['front', HEADER]);
    expect(sourceOf(frame)).toMatchObject({ name: 'input.1', datatype: 'FP32', shape: [1, 3, 2, 4], byteLength: 96 });
  });

  test('that differ in datatype and layout are named with what to set', () => {
    expect(codecOf({ input: { width: 640, height: 480 } }).mismatch('only', CENTERFACE)).toBe(
      "model 'centerface' input 'input.1' is FP32 [1,3,-1,-1]; stream 'front' sends UINT8 [1,480,640,3]: " +
        'set models.faces.input to datatype: FP32, layout: nchw',
    );
  });

  test.each([
    [[3, 480, 640], 'FP32', 'batch_dimension: false, width: 640, height: 480'],
    [[1, 1, -1, -1], 'FP32', 'color_order: gray'],
    [[1, 240, 320, 3], 'UINT8', 'datatype: UINT8, layout: nhwc, width: 320, height: 240'],
  ] as const)('of [%s] %s ask for %s', (shape, datatype, change) => {
    expect(codecOf({ input: FITTING }).mismatch('only', metadataOf([{ name: 'x', datatype, shape }]))).toMatch(
      `: set models.faces.input to ${change}`,
    );
  });

  test.each([
    ['INT8', [1, 3, -1, -1]],
    ['FP32', [1, 4, -1, -1]],
    ['FP32', [1]],
  ] as const)('of %s [%s] cannot be met', (datatype, shape) => {
    const difference = codecOf({ input: FITTING }).mismatch('only', metadataOf([{ name: 'x', datatype, shape }]));
    expect(difference).toContain('no setting of this stream makes it fit');
  });

  test('with several inputs ask for a name, with a wrong name for the right one', () => {
    const two = metadataOf(['a', 'b'].map((name) => ({ name, datatype: 'UINT8', shape: [1, -1, -1, 3] })));
    expect(codecOf({}).mismatch('only', two)).toBe(
      "model 'centerface' has the inputs 'a', 'b'; stream 'front' feeds one: set models.faces.input.name",
    );
    expect(codecOf({ input: { name: 'c' } }).mismatch('only', two)).toBe(
      "model 'centerface' has no input 'c', its inputs are 'a', 'b': correct models.faces.input.name",
    );
    expect(codecOf({ input: { name: 'b' } }).mismatch('only', two)).toBeUndefined();
  });

  test('without the outputs of the decoder, or those asked for', () => {
    const bare = metadataOf(CENTERFACE.inputs, [{ name: '537', datatype: 'FP32', shape: [1, 1, -1, -1] }]);
    expect(codecOf({ input: FITTING, output: { decoder: 'centerface' } }).mismatch('only', bare)).toBe(
      "model 'centerface' has no output '538', '539', its outputs are '537': correct models.faces.output.tensors",
    );
    expect(codecOf({ input: FITTING, output: { tensors: ['540'] } }).mismatch('only', bare)).toContain("has no output '540'");
  });

  test('of a decoder for images behind a stream of floats', () => {
    const codec = codecOf({ type: 'sensor_msgs/msg/Imu', output: { decoder: 'centerface' } });
    const imu = metadataOf([{ name: 'x', datatype: 'FP32', shape: [-1, 10] }], CENTERFACE.outputs);
    expect(codec.mismatch('only', imu)).toBe(
      "decoder 'centerface' needs images; stream 'front' is sensor_msgs/msg/Imu: set models.faces.output.decoder to none",
    );
  });

  test('of an Imu model without batch', () => {
    const codec = codecOf({ type: 'sensor_msgs/msg/Imu' });
    expect(codec.mismatch('only', metadataOf([{ name: 'x', datatype: 'FP32', shape: [10] }]))).toContain('to batch_dimension: false');
    expect(codec.mismatch('only', metadataOf([{ name: 'x', datatype: 'FP32', shape: [1, 9] }]))).toContain('no setting');
  });

  test('that stop to agree are forgotten: the frame then fits no variant', () => {
    const codec = codecOf({ input: FITTING });
    codec.mismatch('only', CENTERFACE);
    codec.mismatch('only', metadataOf([]));
    expect(() => codec.frame(HEADER, imageOf()).inputs('only')).toThrow("variant 'only' of model 'faces'");
  });
});

describe('warm-up', () => {
  const warmed = (codec: ReturnType<typeof codecOf>, metadata: ReturnType<typeof metadataOf>) => {
    expect(codec.mismatch('only', metadata)).toBeUndefined();
    return codec.warmUpInputs('only', metadata).map((source) => {
      const bytes = new Uint8Array(source.byteLength).fill(7);
      source.write(bytes);
      expect(bytes.every((byte) => byte === 0)).toBe(true);
      return [source.name, source.datatype, source.shape, source.byteLength];
    });
  };

  test('has the declared size, else that of the model, else a small one', () => {
    const sized = codecOf({ input: { ...FITTING, width: 64, height: 32 } });
    expect(warmed(sized, CENTERFACE)).toEqual([['input.1', 'FP32', [1, 3, 32, 64], 24_576]]);
    const fixed = metadataOf([{ name: 'x', datatype: 'FP32', shape: [-1, 3, 8, 16] }]);
    expect(warmed(codecOf({ input: FITTING }), fixed)).toEqual([['x', 'FP32', [1, 3, 8, 16], 1536]]);
    expect(warmed(codecOf({ input: FITTING }), CENTERFACE)).toEqual([['input.1', 'FP32', [1, 3, 320, 320], 1_228_800]]);
  });

  test('fills every input, texts with empty ones', () => {
    const metadata = metadataOf([
      { name: 'image', datatype: 'UINT8', shape: [1, 2, 2, 3] },
      { name: 'prompt', datatype: 'BYTES', shape: [-1, 2] },
    ]);
    expect(warmed(codecOf({ input: { name: 'image' } }), metadata)).toEqual([
      ['image', 'UINT8', [1, 2, 2, 3], 12],
      ['prompt', 'BYTES', [1, 2], 8],
    ]);
  });

  test('of floats has one in each open dimension', () => {
    const metadata = metadataOf([{ name: 'x', datatype: 'FP32', shape: [-1, -1, 4] }]);
    expect(warmed(codecOf({ type: 'std_msgs/msg/Float32MultiArray' }), metadata)).toEqual([['x', 'FP32', [1, 1, 4], 16]]);
  });
});
