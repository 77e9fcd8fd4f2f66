import { describe, expect, test } from 'vitest';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { UnreadableRow } from '../../../shared/domain/base/unreadable-row.ts';
import { loggedError } from '../../../shared/kube/http/logged-error.ts';
import { Unavailable } from '../../../shared/ports/unavailable.ts';
import { ALL_KINDS } from '../../../shared/domain/kinds/api-kinds.ts';

const CONFIDENTIAL = ALL_KINDS.filter(({ isConfidential }) => isConfidential === true);
const failure = new TypeError('no hunter2\n    at hunter2');

describe.each(CONFIDENTIAL.map(({ group, plural }) => [group === '' ? '/api/v1' : `/apis/${group}/v1`, plural]))(
  'of a request about %s %s',
  (root, plural) => {
    test.each([`${root}/${plural}`, `${root}/namespaces/team/${plural}`, `${root}/namespaces/team/${plural}/db/`])(
      '%s: an error is its name, and where it was thrown',
      (path) => {
        const told = loggedError(path, failure);
        expect(told).toMatch(/^TypeError at .*logged-error\.test\.ts/);
        expect(told).not.toContain('hunter2');
        expect(loggedError(path, 'hunter2')).toBe('string');
      },
    );

    test('what is in our own words stays', () => {
      const path = `${root}/${plural}`;
      for (const error of [
        new Unavailable('no key'),
        new UnreadableRow('Secret default/db', 'the table', 'put back the key', 'it is sealed'),
        new AggregateError([new UnreadableRow('Secret default/db', 'the table', 'put back the key', 'it is sealed')]),
        new NewerFormatError('a row', 9, 8),
      ])
        expect(loggedError(path, error)).toBe(String(error));
    });
  },
);

test.each([
  '/api/v1/namespaces/secrets',
  '/api/v1/namespaces/secrets/pods',
  '/apis/example.com/v1/secrets',
  '/api/v1/configmaps',
  '/',
])('%s is about no Secret', (path) => {
  expect(loggedError(path, failure)).toBe(String(failure));
});
