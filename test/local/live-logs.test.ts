import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createEcs } from '../../local/ecs/create-ecs.ts';
import { createLogs } from '../../local/logs/create-logs.ts';
import type { StreamName } from '../../local/logs/stream-files.ts';
import { AlarmHeap } from '../../local/ecs/timers.ts';

const GROUP = '/muster/tasks';

afterEach(() => {
  vi.restoreAllMocks();
});

/** So many streams, each counted when it is taken, and how often they were asked for. */
function streams(count: number) {
  const seen = { rounds: 0, taken: 0 };
  function* all(): Generator<StreamName> {
    seen.rounds++;
    for (let n = 0; n < count; n++) {
      seen.taken++;
      yield { group: GROUP, stream: `job/main/${n}` };
    }
  }
  return { seen, all };
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-live-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a look takes 500 streams, however many there are, and the next goes on with the others', () => {
  const { seen, all } = streams(1_200);
  const logs = createLogs({ dataDir: aFolder(), isLive: () => true });
  const after = Array.from({ length: 5 }, () => {
    logs.look(all);
    return [seen.rounds, seen.taken];
  });
  expect(after).toEqual([
    [1, 500],
    [1, 1_000],
    [1, 1_200],
    [2, 1_700],
    [2, 2_200],
  ]);
});

test('a few streams are all looked at each time', () => {
  for (const count of [3, 500]) {
    const { seen, all } = streams(count);
    const logs = createLogs({ dataDir: aFolder(), isLive: () => true });
    for (const round of [1, 2, 3]) {
      logs.look(all);
      expect(seen).toEqual({ rounds: round, taken: round * count });
    }
  }
});

test('the streams of live tasks are found without going through those that have ended', async () => {
  const alarms = new AlarmHeap();
  let nowMs = Date.UTC(2026, 10, 20);
  const timers = {
    now: () => nowMs,
    after(delayMs: number, run: () => void) {
      const alarm = alarms.set(nowMs + delayMs, run);
      return () => void (alarm.run = null);
    },
    close: () => undefined,
  };
  const ecs = createEcs({ driver: { kind: 'simulated', script: { runMs: [10, 10] } }, timers });
  await ecs.start();
  ecs.api.RegisterTaskDefinition({
    family: 'job',
    cpu: '256',
    memory: '512',
    containerDefinitions: [
      {
        name: 'main',
        image: 'none',
        logConfiguration: {
          logDriver: 'awslogs',
          options: { 'awslogs-group': GROUP, 'awslogs-stream-prefix': 'job' },
        },
      },
    ],
  });
  const run = (count: number): readonly string[] =>
    Array.from({ length: count }, () => {
      const { tasks = [] } = ecs.api.RunTask({ taskDefinition: 'job' });
      return `job/main/${tasks[0]?.taskArn?.split('/').at(-1) ?? ''}`;
    });
  const [first, ...others] = run(1_000);
  const goneThrough = ecs.liveLogs()[Symbol.iterator]();
  expect(goneThrough.next().value).toEqual({ group: GROUP, stream: first });
  expect([...ecs.liveLogs()].map(({ stream }) => stream)).toEqual([first, ...others]);
  for (const ms of [0, 0, 10, 10]) alarms.ring((nowMs += ms));
  expect(ecs.live().tasks).toBe(0);

  const later = run(2);
  const steps = vi.spyOn(Object.getPrototypeOf(new Map().values()) as Iterator<unknown>, 'next');
  const found = [...ecs.liveLogs()];
  const stepsTaken = steps.mock.calls.length;
  steps.mockRestore();
  expect(found.map(({ stream }) => stream)).toEqual(later);
  expect(stepsTaken).toBe(3);
  // What began while all of them ran goes on with those that run now.
  expect(goneThrough.next().value).toEqual(found[0]);
});
