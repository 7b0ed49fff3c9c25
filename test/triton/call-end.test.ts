import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { classifyEnd, describeEnd } from '../../src/triton/call-end.js';

const fromServer = (code: status, details = 'said the server') => classifyEnd({ code, details, hasServerHeaders: true });
const fromClient = (code: status, details: string) => classifyEnd({ code, details, hasServerHeaders: false });

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

  test('that its queue is full is an end that it does not count', () => {
    expect(fromServer(status.UNAVAILABLE, '[request id: 7] Exceeds maximum queue size')).toMatchObject({ result: 'not_counted' });
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
