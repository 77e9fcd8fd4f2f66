import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutationsOf } from '../mutants/mutations.ts';
import { testsFor } from '../mutants/tests-for.ts';

// The small changes of behavior that `npm run test:mutants` makes, and the tests that it shows them to.

const changes = (text: string): readonly string[] =>
  mutationsOf('a.ts', text).map(({ from, to, after }) => `${text.slice(0, from)}${after}${text.slice(to)}`);

test.each<readonly [text: string, changed: readonly string[]]>([
  ['x = a < b;', [';', 'x = a <= b;', 'x = a > b;']],
  ['const x = a === b && c;', ['const x = a !== b && c;', 'const x = a === b || c;']],
  ['const x = n + 1;', ['const x = n - 1;', 'const x = n + 2;']],
  ['const x = 60_000;', ['const x = 60001;']],
  ['if (late) stop();', ['if (!(late)) stop();', 'if (late) ;']],
  ['const x = late ? a : b;', ['const x = !(late) ? a : b;']],
  ['const x = Math.min(a, b);', ['const x = Math.max(a, b);']],
  ['const x = list.some(f);', ['const x = list.every(f);']],
  ['const x = true;', ['const x = false;']],
  ['await queues.wake(a);', [';']],
  ['count++;', [';']],
  ['const x = "a" + b;', []],
  ['const min = a;', []],
  ['type A = 1 | 2;', []],
  ['const x = `${a + 1}`;', []],
  ['throw new Error(String(a + 1));', []],
  ["invariant(a > 0, 'it is');", []],
  ["deps.telemetry.count('A', 1);", []],
])('%s', (text, changed) => expect(changes(text)).toEqual(changed));

test('a change is shown first to the tests that are closest, then to the others of its folder, then to seeds', () => {
  const rounds = testsFor(join(import.meta.dirname, '../..'), 'shared/domain/planner/stops.ts');
  expect(rounds[0]).toContain('test/domain/planner/stops.test.ts');
  expect(rounds[1]).toContain('test/domain/planner/plan-job.test.ts');
  expect(rounds[1]).not.toContain('test/domain/planner/stops.test.ts');
  expect(rounds[2]).toEqual(['test/dst/seeds.test.ts']);
  expect(testsFor(join(import.meta.dirname, '../..'), 'shared/kube/jobs/render-job.ts').flat()).toContain(
    'test/kube/jobs/jobs.test.ts',
  );
});

test('a change of a capability is shown to its own tests only', () => {
  const rounds = testsFor(join(import.meta.dirname, '../..'), 'shared/capabilities/one/domain/it.ts');
  expect(rounds).toEqual([]);
  const [close = [], rest = [], ...more] = testsFor(
    join(import.meta.dirname, '../..'),
    'shared/capabilities/plan/domain/explain-dump.ts',
  );
  expect(more).toEqual([]);
  const all = [...close, ...rest];
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter((path) => !path.startsWith('shared/capabilities/plan/test/'))).toEqual([]);
});
