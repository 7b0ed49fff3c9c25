import { expect, test } from 'vitest';
import { Forecast } from '../../src/core/forecast.js';
import { NEVER } from '../../src/core/units.js';
import { ms } from './bench.js';

const contract = { periodUs: ms(33), deadlineUs: ms(20), maxAgeUs: ms(66) };

test('the next frame is expected one period after the last arrived', () => {
  const forecast = new Forecast(contract);
  expect(forecast.expectedUs(ms(0))).toBe(NEVER);
  forecast.observe(ms(0), ms(5));
  expect(forecast.expectedUs(ms(6))).toBe(ms(38));
});

test('overdue, it stays expected for as long as transport took, then it is given up until a frame comes', () => {
  const forecast = new Forecast(contract);
  forecast.observe(ms(0), ms(5));
  expect(forecast.expectedUs(ms(43))).toBe(ms(38));
  expect(forecast.expectedUs(ms(43.001))).toBe(NEVER);
  forecast.observe(ms(50), ms(55));
  expect(forecast.expectedUs(ms(55))).toBe(ms(88));
});

test('but never longer than the deadline', () => {
  const forecast = new Forecast(contract);
  forecast.observe(ms(0), ms(100));
  expect(forecast.givenUpAfterUs).toBe(ms(153));
});

test('a capture ahead of its arrival counts as captured then', () => {
  const forecast = new Forecast(contract);
  forecast.observe(ms(4), ms(3));
  expect(forecast.givenUpAfterUs).toBe(ms(36));
});

test('a repeated or older capture tells nothing about the next', () => {
  const forecast = new Forecast(contract);
  forecast.observe(ms(10), ms(12));
  forecast.observe(ms(10), ms(20));
  forecast.observe(ms(5), ms(21));
  expect(forecast.expectedUs(ms(21))).toBe(ms(45));
});

test('without a period nothing is expected', () => {
  const forecast = new Forecast({ deadlineUs: ms(20), maxAgeUs: ms(66) });
  forecast.observe(ms(0), ms(5));
  expect(forecast.expectedUs(ms(6))).toBe(NEVER);
});
