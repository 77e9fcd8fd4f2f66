import { expect, test } from 'vitest';
import { API_KINDS } from '../../../../domain/kinds/api-kinds.ts';

test.each([
  ['LimitRange', ['']],
  ['ResourceQuota', ['', 'status']],
] as const)('%s: who owns a namespace sees what limits it, and does not raise it', (name, of) => {
  expect(API_KINDS[name].grants).toEqual([{ role: 'view', verbs: ['get', 'list', 'watch'], of }]);
});
