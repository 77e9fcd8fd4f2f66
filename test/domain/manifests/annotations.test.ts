import { expect, test } from 'vitest';
import {
  DEFAULT_DISRUPTIONS,
  DEFAULT_PENDING_TIMEOUT_SEC,
  parseDisruptions,
  parseMoment,
  parsePendingTimeout,
  parseRetryDelay,
} from '../../../shared/domain/manifests/annotations.ts';

test('without annotations a Pod may wait a quarter of an hour to start, and an index may be lost ten times', () => {
  expect(DEFAULT_PENDING_TIMEOUT_SEC).toBe(15 * 60);
  expect(DEFAULT_DISRUPTIONS).toEqual({ kind: 'budget', losses: 10, spotInterruptions: 3 });
});

test.each([
  ['count', { kind: 'count' }],
  ['losses=1', { kind: 'budget', losses: 1, spotInterruptions: 3 }],
  ['spot-interruptions=0', { kind: 'budget', losses: 10, spotInterruptions: 0 }],
  ['spot-interruptions=2,losses=9999', { kind: 'budget', losses: 9999, spotInterruptions: 2 }],
  ['losses=1,losses=2', null],
  ['losses=10000', null],
  ['losses=-1', null],
  ['losses=1,', null],
  ['', null],
])('disruptions %j: %j', (text, expected) => {
  expect(parseDisruptions(text)).toEqual(expected);
});

test.each([
  ['1', 1],
  ['9999999', 9_999_999],
  ['10000000', null],
  ['0', null],
  ['1.5', null],
  ['', null],
])('pending timeout %j: %j', (text, expected) => {
  expect(parsePendingTimeout(text)).toBe(expected);
});

test.each([
  ['0', 0],
  ['900', 900],
  ['10000000', null],
  ['00', null],
  ['-1', null],
  ['', null],
])('retry delay %j: %j', (text, expected) => {
  expect(parseRetryDelay(text)).toBe(expected);
});

test.each([
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:00.250Z', Date.UTC(2026, 0, 31, 12, 0, 0, 250)],
  ['2026-01-31T12:00:00+05:30', Date.UTC(2026, 0, 31, 6, 30)],
  ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ['2026-02-29T00:00:00Z', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-01-31T24:00:00Z', null],
  ['2026-01-31T12:00:60Z', null],
  ['2026-01-31T12:00:00', null],
  ['2026-01-31 12:00:00Z', null],
  ['2026-01-31t12:00:00z', null],
  ['2026-01-31T12:00Z', null],
  ['1767268800', null],
  ['', null],
])('moment %j: %j', (text, expected) => {
  expect(parseMoment(text)).toBe(expected);
});
