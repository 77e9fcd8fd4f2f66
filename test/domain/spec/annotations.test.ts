import { expect, test } from 'vitest';
import {
  DEFAULT_DISRUPTIONS,
  DEFAULT_PENDING_TIMEOUT_SEC,
  parseDisruptions,
  parsePendingTimeout,
} from '../../../shared/domain/spec/annotations.ts';

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
