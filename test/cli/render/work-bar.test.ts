import { expect, test } from 'vitest';
import { WorkBar } from '../../../cli/follow/work-bar.ts';
import { aShell } from '../a-shell.ts';

test('without a terminal, the longer the work lasts, the rarer are its lines', () => {
  let sec = 0;
  const { shell, err } = aShell({ cwd: '/', now: () => sec * 1_000 });
  const bar = new WorkBar(shell, 10_000);
  const linesOf = (hours: number): readonly string[] => {
    for (const end = sec + hours * 3_600; sec < end; sec++) bar.show({ done: sec, total: 100_000, text: 'logs' });
    return err().split('\n').slice(0, -1);
  };
  expect(linesOf(1 / 60)).toEqual([10, 20, 30, 40, 50].map((done) => `${done}/100000 logs`));
  const ofTenHours = linesOf(10).length;
  expect(ofTenHours).toBeGreaterThan(100);
  expect(ofTenHours).toBeLessThan(300);
});
