import { expect } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { JobEventEntry } from '../../../shared/domain/scoreboard/status.ts';
import { JOBS, START, type World, aWorld, manifest } from '../a-world.ts';

export type Event = {
  metadata: { name: string; uid: string; namespace: string; resourceVersion: string };
  involvedObject: { kind: string; name: string; fieldPath?: string };
  reason: string;
  message: string;
  type: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
};
type EventList = { metadata: { continue?: string; resourceVersion: string }; items: Event[] };
export const EVENTS = '/api/v1/namespaces/default/events';

export const list = async (world: World, query = '', path = EVENTS): Promise<EventList> => {
  const answer = await world.get(path + query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as EventList;
};
export const nameless = (text: string): string =>
  text.replace(/-[b-z2-9]{5}(?![a-z0-9])/g, '').replace(/fargate-[0-9a-f]{32}$/, '<task>');
export const line = ({ involvedObject: { kind }, type, reason, message }: Event): string =>
  [kind, type === 'Normal' ? '' : '!', reason, nameless(message)].join(' ');
export const selector = (fields: Record<string, string>): string =>
  `?fieldSelector=${encodeURIComponent(
    Object.entries(fields)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  )}`;
export const entry = (
  version: number,
  reason: string,
  message: string,
  more: Partial<JobEventEntry> = {},
): JobEventEntry => {
  const at = plusMs(START, 5000);
  return { version, reason, message, type: 'Normal', firstAt: at, at, count: 1, ...more };
};

/** Index 0 failed and runs again, 1 succeeded, 2 is launched, 3 waits; the Job was suspended and resumed before. */
export const aBusyJob = async (spec: object = {}): Promise<World> => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { parallelism: 4, ...spec }));
  await world.commit(
    'sums',
    [0, 1, 2, 3].map((index) => ({ op: 'claim', index })),
    { startTime: START, events: [entry(2, 'Suspended', 'Job suspended'), entry(2, 'Resumed', 'Job resumed')] },
  );
  await world.record('sums', 0, 1, {
    cause: 'Error',
    exitCode: 3,
    container: 'main',
    reason: 'Essential container in task exited',
  });
  await world.commit('sums', [
    { op: 'failed', index: 0, notBefore: null },
    { op: 'claim', index: 0, attempt: 2 },
  ]);
  await world.launch('sums', [
    { index: 0, attempt: 2 },
    { index: 2, attempt: 1 },
  ]);
  await world.record('sums', 1, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit(
    'sums',
    [
      { op: 'running', index: 0, attempt: 2 },
      { op: 'succeeded', index: 1 },
      { op: 'launched', index: 2 },
    ],
    {
      inFlight: [{ index: 3, attempt: 1, nonce: 0, dueAt: plusMs(START, 60_000) }],
      waitReason: 'Capacity is unavailable',
    },
  );
  return world;
};

export const OF_THE_JOB = [
  'Job  SuccessfulCreate Created pod: sums-3',
  'Job  SuccessfulCreate Created pod: sums-0',
  'Job  SuccessfulCreate Created pod: sums-1',
  'Job  SuccessfulCreate Created pod: sums-2',
  'Job  SuccessfulCreate Created pod: sums-0',
  'Job ! PodFailed Pod sums-0 failed: exit code 3',
  'Job  Suspended Job suspended',
  'Job  Resumed Job resumed',
];
export const OF_THE_PODS = [
  'Pod  Scheduled Successfully assigned default/sums-0 to <task>',
  'Pod  Created Created container: main',
  'Pod  Started Started container main',
  'Pod ! Failed Container main exited with code 3',
  'Pod  Scheduled Successfully assigned default/sums-0 to <task>',
  'Pod  Created Created container: main',
  'Pod  Started Started container main',
  'Pod  Scheduled Successfully assigned default/sums-1 to <task>',
  'Pod  Created Created container: main',
  'Pod  Started Started container main',
  'Pod  Scheduled Successfully assigned default/sums-2 to <task>',
  'Pod ! FailedScheduling Capacity is unavailable',
];
