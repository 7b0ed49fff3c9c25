import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { classifyEnd, describeEnd } from '../../src/triton/call-end.js';

const CALL = { model: 'echo', id: '77' };
const fromServer = (code: status, details = 'said the server', call = CALL) => classifyEnd({ code, details, hasServerHeaders: true }, call);
const fromClient = (code: status, details: string) => classifyEnd({ code, details, hasServerHeaders: false }, CALL);

describe('an answer of the server', () => {
  test.each([status.INTERNAL, status.INVALID_ARGUMENT, status.NOT_FOUND, status.UNIMPLEMENTED, status.UNKNOWN, status.FAILED_PRECONDITION])(
    'with code %i is an error of the model',
    (code) => {
      expect(fromServer(code)).toMatchObject({ result: 'failed', cause: 'model_error' });
    },
  );

  test.each([status.RESOURCE_EXHAUSTED, status.UNAUTHENTICATED, status.PERMISSION_DENIED])('with code %i is a refusal', (code) => {
    expect(fromServer(code)).toMatchObject({ result: 'failed', cause: 'rejected_by_server' });
  });

  test.each([
    [status.UNAVAILABLE, '[request id: 77] Exceeds maximum queue size'],
    [status.NOT_FOUND, "Request for unknown model: 'echo' has no available versions"],
    [status.NOT_FOUND, "Request for unknown model: 'echo' is not found"],
    [status.NOT_FOUND, "Request for unknown model: 'echo' version 9 is not found"],
    [status.NOT_FOUND, "Unable to find shared memory region: 'vig-1'"],
    [status.UNIMPLEMENTED, "ModelInfer RPC doesn't support models with decoupled transaction policy"],
    [status.INVALID_ARGUMENT, "[request id: 77] inference input 'IN' data-type is 'INT32', but model 'echo' expects 'FP32'"],
    [status.INVALID_ARGUMENT, "unexpected inference input 'Z' for model 'echo'"],
  ])('%i "%s" refuses the call, and is not counted', (code, details) => {
    expect(fromServer(code, details)).toMatchObject({ result: 'not_counted', detail: expect.stringContaining(details) });
  });

  test.each([
    [status.INVALID_ARGUMENT, "unexpected inference input 'Z' for model 'inner'"], // what a model was told that asked another one
    [status.INVALID_ARGUMENT, "[request id: 5] inference input 'IN' data-type is 'INT32', but model 'echo' expects 'FP32'"],
    [status.INVALID_ARGUMENT, "the picture is too dark for model 'echo'"],
    [status.INTERNAL, "unexpected inference input 'Z' for model 'echo'"],
    [status.INVALID_ARGUMENT, ''],
    [status.INTERNAL, "Stub process 'echo_0_0' is not healthy."],
  ])('%i "%s" may be counted: it is not taken for a refusal', (code, details) => {
    expect(fromServer(code, details)).toMatchObject({ result: 'failed', cause: 'model_error' });
  });

  test('a call without an id is refused by the name that Triton gives it', () => {
    const details = "[request id: <id_unknown>] input byte size mismatch for input 'IN' for model 'echo'. Expected 12, got 4";
    expect(fromServer(status.INVALID_ARGUMENT, details, { model: 'echo', id: '' })).toMatchObject({ result: 'not_counted' });
  });

  test('that it waited too long in the queue is an end that is counted', () => {
    expect(fromServer(status.UNAVAILABLE, 'Request timeout expired')).toMatchObject({ result: 'failed', cause: 'rejected_by_server' });
  });

  test.each([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.ABORTED, status.CANCELLED])('with code %i proves nothing', (code) => {
    expect(fromServer(code, 'upstream connect error')).toMatchObject({ result: 'unknown' });
  });

  test('in which it speaks of a size limit is not our receive limit', () => {
    expect(fromServer(status.RESOURCE_EXHAUSTED, 'Received message larger than max (5 vs. 4)')).toMatchObject({
      cause: 'rejected_by_server',
    });
  });
});

describe('an end that the client library made up', () => {
  test.each([
    [status.UNAVAILABLE, 'Channel closed before call started'],
    [status.UNAVAILABLE, 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1'],
    [status.UNAVAILABLE, 'Stream refused by server'],
    [status.INTERNAL, 'Failed to start HTTP/2 stream with error The session has been destroyed'],
    [status.INTERNAL, 'Request message serialization failure: .inputs: array expected'],
  ])('code %i "%s" was never sent', (code, details) => {
    expect(fromClient(code, details)).toMatchObject({ result: 'not_started' });
  });

  test.each([
    [status.UNAVAILABLE, 'Connection dropped'],
    [status.UNAVAILABLE, 'read ECONNRESET'],
    [status.UNAVAILABLE, 'Exceeds maximum queue size'],
    [status.CANCELLED, 'Cancelled on client'],
    [status.DEADLINE_EXCEEDED, 'Deadline exceeded'],
    [status.INTERNAL, 'Received RST_STREAM with code 2 (Internal server error)'],
    [status.UNKNOWN, 'No status information received'],
    [status.RESOURCE_EXHAUSTED, 'Bandwidth exhausted or memory limit exceeded'],
    [status.PERMISSION_DENIED, 'Protocol not secure enough'],
    [status.UNIMPLEMENTED, 'Received HTTP status code 404'],
  ])('code %i "%s" proves nothing', (code, details) => {
    expect(fromClient(code, details)).toMatchObject({ result: 'unknown' });
  });

  test.each(['Received message larger than max (9 vs 8)', 'Received message that decompresses to a size larger than 8'])(
    '"%s" is an answer beyond our receive limit',
    (details) => {
      expect(fromClient(status.RESOURCE_EXHAUSTED, details)).toMatchObject({ result: 'failed', cause: 'response_too_large' });
    },
  );

  test.each([
    [status.INTERNAL, 'Response message parsing error: index out of range'],
    [status.UNIMPLEMENTED, 'No message received'],
    [status.UNIMPLEMENTED, 'Too many responses received'],
  ])('code %i "%s" is an answer that cannot be read', (code, details) => {
    expect(fromClient(code, details)).toMatchObject({ result: 'failed', cause: 'bad_output' });
  });
});

test('the detail is one line of bounded length with the code by name', () => {
  const { detail } = fromServer(status.INTERNAL, `Failed:\n\nAt:\n  model.py(14)\n${'x'.repeat(10_000)}`);
  expect(detail).toMatch(/^INTERNAL: Failed: At: model\.py\(14\) x+$/);
  expect(detail.length).toBeLessThan(600);
  expect(describeEnd({ code: status.UNAVAILABLE, details: '' })).toBe('UNAVAILABLE');
});
