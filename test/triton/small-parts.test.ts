import { describe, expect, test } from 'vitest';
import { isLoopback } from '../../src/triton/endpoint.js';
import { RoundTripWindow } from '../../src/triton/round-trip.js';

describe('an endpoint', () => {
  test.each(['127.0.0.1:8001', '127.8.4.2:1', 'localhost:8001', '[::1]:8001'])('%s is on this machine', (endpoint) => {
    expect(isLoopback(endpoint)).toBe(true);
  });

  test.each(['10.0.0.1:8001', 'localhost.example.org:8001', '127.example.org:1', '[2001:db8::1]:8001', '[::]:1'])(
    '%s may be elsewhere',
    (endpoint) => {
      expect(isLoopback(endpoint)).toBe(false);
    },
  );
});

describe('the round trip', () => {
  test('is unknown before there are eight measurements', () => {
    const window = new RoundTripWindow();
    for (let index = 0; index < 7; index += 1) window.add(500);
    expect(window.p90()).toBeUndefined();
    window.add(500.4);
    expect(window.p90()).toBe(500);
  });

  test('is the 90th percentile of the last 64', () => {
    const window = new RoundTripWindow();
    for (let us = 1; us <= 10; us += 1) window.add(us * 100);
    expect(window.p90()).toBe(900);
    for (let index = 0; index < 64; index += 1) window.add(50);
    expect(window.p90()).toBe(50);
  });
});
