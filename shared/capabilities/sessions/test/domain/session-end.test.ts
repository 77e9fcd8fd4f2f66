import { expect, test } from 'vitest';
import { endText } from '../../domain/session-end.ts';

test('an exit code comes as the cause by which clients know it', () => {
  expect(JSON.parse(endText({ kind: 'ended', exitCode: 3 }, true))).toEqual({
    metadata: {},
    status: 'Failure',
    message: 'command terminated with non-zero exit code: exit status 3',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
});

test('a success, and an end that nobody asks about, are a Success', () => {
  for (const exitCode of [0, null])
    expect(JSON.parse(endText({ kind: 'ended', exitCode }, true))).toEqual({ metadata: {}, status: 'Success' });
});

test('what could not be done is an internal error with its reason', () => {
  expect(JSON.parse(endText({ kind: 'failed', why: 'no shell' }, true))).toMatchObject({
    status: 'Failure',
    message: 'Internal error occurred: no shell',
    reason: 'InternalError',
    code: 500,
  });
});

test('older clients get text, and nothing after a success', () => {
  expect(endText({ kind: 'ended', exitCode: 0 }, false)).toBe('');
  expect(endText({ kind: 'ended', exitCode: 9 }, false)).toBe(
    'command terminated with non-zero exit code: exit status 9',
  );
});
