import { expect, test } from 'vitest';
import { contextOf } from '../../../../local/event-source/mapping.ts';
import { aRuntime, anInbox } from '../../../../test/runtime/a-runtime.ts';
import { sweepHandler } from '../../../runtime/queue-handlers.ts';

const CONTEXT = contextOf('test', 30_000);

test('what the doctor calls an error is counted every five minutes', async () => {
  const w = aRuntime(anInbox().inbox);
  const { jobs } = w.runtime.deps;
  const looked: string[] = [];
  let time = '';
  const dueJobs: typeof jobs.dueJobs = async (page) => {
    if (page.now === null) looked.push(time); // of all alarms, not of those that are due
    return jobs.dueJobs(page);
  };
  const handler = sweepHandler(() => ({ ...w.runtime, deps: { ...w.runtime.deps, jobs: { ...jobs, dueJobs } } }));
  for (let minute = 1; minute <= 11; minute++) {
    time = `2026-11-20T12:${String(minute).padStart(2, '0')}:00Z`;
    await handler({ time }, CONTEXT);
  }
  expect(looked).toEqual(['2026-11-20T12:05:00Z', '2026-11-20T12:10:00Z']);
});
