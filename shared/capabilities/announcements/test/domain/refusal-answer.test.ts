import { expect, test } from 'vitest';
import { refusalAnswer } from '../../domain/refusal-answer.ts';

const status = (code: number, reason: string, message = 'why') => ({ code, reason, message });

test.each([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'AlreadyExists'],
  [413, 'RequestEntityTooLarge'],
  [422, 'Invalid'],
])('%d %s is final: the task that waits gets it as its answer', (code, reason) => {
  expect(refusalAnswer(status(code, reason))).toEqual({ error: reason, cause: 'why' });
});

test.each([
  [408, 'Timeout'],
  [425, 'TooEarly'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
  [200, ''],
])('%d %s is not: the message comes again', (code, reason) => {
  expect(refusalAnswer(status(code, reason))).toBeNull();
});

test('is no longer than Step Functions takes it', () => {
  const { error, cause } = refusalAnswer(status(422, 'r'.repeat(300), 'c'.repeat(40_000))) ?? { error: '', cause: '' };
  expect([error.length, cause.length]).toEqual([256, 32_768]);
});
