import { describe, expect, test } from 'vitest';
import { type JobSnapshot, type ProbedName, diagnoseJob } from '../domain/diagnose-job.ts';
import type { Finding } from '../domain/finding.ts';
import { DEAD_LETTERED } from '../../../domain/events/dead-letter-events.ts';
import type { Phase, Verdict } from '../../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { LaunchSlot } from '../../../domain/scoreboard/launch-row.ts';
import { type Wish, aBoard, arnOf, at } from '../../../../test/support/a-board.ts';

// What the doctor says of one Job, from what was read: r running, l launched, c claimed, S succeeded, . pending.

const verdict: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null };
const finished = (sec: number): Phase => ({ kind: 'finished', verdict, since: at(0), at: at(sec) });

/** A Job that is published and that nothing else was asked about, `sec` seconds into the test. */
function findings(strip: string, sec: number, wish: Wish = {}, read: Partial<JobSnapshot> = {}): readonly Finding[] {
  const { job, status, stored } = aBoard(strip, wish);
  return diagnoseJob({
    now: at(sec),
    identity: job,
    spec: job.spec,
    finalizers: [],
    status,
    board: new WorkingBoard(status, stored),
    waits: [],
    waitedFor: [],
    cycle: null,
    torn: null,
    published: { kind: 'ok', value: status.version },
    pace: { kind: 'ok', value: { now: at(sec), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null } },
    tasks: null,
    names: null,
    failures: null,
    itemOf: () => null,
    ...read,
  });
}
const brief = (found: readonly Finding[]): readonly string[] =>
  found.map(({ severity, kind, what }) => `${severity} ${kind}: ${what}`);

test('what is at work: running, accepted, and not answered', () => {
  expect(brief(findings('rrlcc.', 1))).toEqual([
    'info Active: active attempts: 2 running, 1 launched, 2 claimed and not answered',
  ]);
  expect(brief(findings('l.', 1))).toEqual(['info Active: active attempts: 1 launched']);
  expect(brief(findings('r.', 1))).toEqual(['info Active: active attempts: 1 running']);
  expect(brief(findings('.S', 1, { status: { alarms: [at(9)] } }))).toEqual([]);
});

describe('what should have happened by now', () => {
  const OVERDUE_SEC = 180;
  const quiet = { status: { alarms: [at(0)] } };
  test.each([
    [OVERDUE_SEC, []],
    [OVERDUE_SEC + 0.001, ['error AlarmOverdue: it was due to be checked by 2027-01-15T08:00:00Z, and was not']],
  ])('an alarm, after %i s: %j', (sec, expected) => {
    expect(brief(findings('.S', sec, quiet))).toEqual(expected);
  });

  const claims = [10, 20].map((sec, index) => ({ index, attempt: 1, nonce: 0, dueAt: at(sec) }));
  test.each([
    [OVERDUE_SEC + 10, null, null],
    [OVERDUE_SEC + 10.001, '1 claim due to be sent again, but not sent', at(10)],
    [OVERDUE_SEC + 21, '2 claims due to be sent again, but not sent', at(10)],
  ])('claims, after %i s: %s', (sec, what, since) => {
    const found = findings('cc', sec, { status: { inFlight: claims, alarms: [at(sec)] } });
    const overdue = found.filter(({ kind }) => kind === 'ClaimOverdue');
    expect(overdue).toMatchObject(what === null ? [] : [{ severity: 'error', what, since }]);
  });

  test.each<readonly [string, Wish, readonly string[]]>([
    ['r', { status: { alarms: [], inspect: null } }, ['info Active', 'error NoAlarm']],
    ['b', { status: { alarms: [] } }, ['error NoAlarm']],
    ['.S', { status: { alarms: [] } }, []],
    ['.S', { status: { alarms: [], inFlight: claims } }, ['error NoAlarm']],
    ['S', { phase: finished(1), status: { alarms: [], inFlight: claims } }, []],
  ])('an alarm is missing where something is to be watched: %s %j', (strip, wish, expected) => {
    const found = findings(strip, 5, wish).map(({ severity, kind }) => `${severity} ${kind}`);
    expect(found.toSorted()).toEqual([...expected].toSorted());
  });

  test('a replaced task is to be watched, too', () => {
    const replacedTasks = [0, 1].map((index) => {
      return { index, attempt: 1, nonce: 0, taskArn: arnOf(index), since: at(0) };
    });
    expect(brief(findings('.S', 1, { status: { alarms: [at(9)], replacedTasks: replacedTasks.slice(1) } }))).toEqual([
      'info Replaced: replaced, and still being stopped: 1 attempt',
    ]);
    expect(brief(findings('.S', 1, { status: { alarms: [], replacedTasks } }))).toEqual([
      'error NoAlarm: attempts are active, but no alarm is set to check them again',
      'info Replaced: replaced, and still being stopped: 2 attempts',
    ]);
  });

  test.each([
    [60 + OVERDUE_SEC, []],
    [60 + OVERDUE_SEC + 0.001, ['error Outlived']],
  ])('its deletion a minute after its end, after %i s: %j', (sec, expected) => {
    const found = findings('S', sec, { phase: finished(0), ttlSecAfterFinished: 60 });
    expect(found.map(({ severity, kind }) => `${severity} ${kind}`)).toEqual(expected);
  });
});

test.each([
  ['for ten minutes', 600, []],
  ['for longer', 601, ['warning Unannounced: nobody has been told of: Started, Failed']],
])('nobody takes its changes %s', (_, sec, found) => {
  const changes = [
    { version: 2, state: 'Started', at: at(0) },
    { version: 4, state: 'Failed', at: at(300) },
  ] as const;
  const status = { version: 5, now: at(sec), alarms: [at(999)], unannounced: { changes, dueAt: at(960) } };
  const lines = brief(findings('.S', sec, { status }));
  expect(lines.filter((line) => line.includes('Unannounced'))).toEqual(found);
});

describe('the feed', () => {
  const status = { version: 5, now: at(0), published: { version: 4, seq: 0, at: at(0) }, alarms: [at(999)] };
  const FOUND = ['error FeedBehind: watches have not received the last change'];
  test.each<readonly [string, number, Wish, JobSnapshot['published'], readonly string[]]>([
    ['is a minute behind', 60, {}, { kind: 'ok', value: 4 }, []],
    ['is longer behind', 60.001, {}, { kind: 'ok', value: 4 }, FOUND],
    [
      'knows nothing of the Job',
      61,
      { status: { published: { version: 0, seq: 0, at: at(0) } } },
      { kind: 'ok', value: null },
      FOUND,
    ],
    [
      'knows nothing of a new Job',
      61,
      { status: { version: 1, published: { version: 0, seq: 0, at: at(0) } } },
      { kind: 'ok', value: null },
      FOUND,
    ],
    ['has all of it', 61, {}, { kind: 'ok', value: 5 }, []],
    [
      'had all of it, as STATUS knows',
      61,
      { status: { published: { version: 5, seq: 0, at: at(0) } } },
      { kind: 'ok', value: 4 },
      [],
    ],
    [
      'does not have what nobody may see',
      61,
      { phase: { kind: 'purging', since: at(0) } },
      { kind: 'ok', value: 4 },
      [],
    ],
    [
      'could not be read',
      1,
      {},
      { kind: 'failed', reason: 'no' },
      ['error NotChecked: the change feed could not be checked: no'],
    ],
  ])('%s, after %i s', (_, sec, { status: also, ...wish }, published, expected) => {
    expect(brief(findings('.S', sec, { ...wish, status: { ...status, ...also } }, { published }))).toEqual(expected);
  });
});

test.each([
  [1, 'a message was lost'],
  [3, 'a message was lost (3 times)'],
])('dead letters of the Job, %i times: %s', (count, what) => {
  const event = {
    type: 'Warning' as const,
    message: 'a message was lost',
    count,
    version: 5,
    firstAt: at(1),
    at: at(2),
  };
  const events = [
    { ...event, reason: DEAD_LETTERED },
    { ...event, reason: 'Other', message: 'nothing of that' },
  ];
  const found = findings('.S', 5, { status: { alarms: [at(9)], events } });
  expect(found).toMatchObject([{ severity: 'warning', kind: 'DeadLetters', what, since: at(1) }]);
});

test('rows that do not fit together, and what could not be read', () => {
  const quiet = { status: { alarms: [at(9)] } };
  const no = { kind: 'failed', reason: 'no' } as const;
  expect(brief(findings('.S', 5, quiet, { torn: 'chunk 0 is gone' }))).toEqual([
    'error Torn: chunk 0 is gone: a row that passes read differs from STATUS',
  ]);
  expect(brief(findings('.S', 5, quiet, { pace: no, tasks: no, names: no }))).toEqual([
    'error NotChecked: the pace of launches could not be checked: no',
    'error NotChecked: its tasks could not be checked: no',
    'error NotChecked: its hostnames could not be checked: no',
  ]);
});

describe('being stopped', () => {
  const stopping = { cause: 'stopping', count: 2, etaMs: null, nextTryMs: null, message: '' } as const;
  test.each([
    [5 * 60, 'info', false],
    [5 * 60 + 0.001, 'warning', true],
    [30 * 60, 'warning', true],
    [30 * 60 + 0.001, 'error', true],
  ])('for %i s: %s', (sec, severity, hasRemedy) => {
    const waits = [{ ...stopping, since: at(0) }];
    const [found] = findings('.S', sec, { status: { alarms: [at(sec)], now: at(sec) } }, { waits });
    expect(found).toMatchObject({ severity, kind: 'Stopping', what: expect.stringContaining('2 attempts') as string });
    expect(found?.remedy !== '').toBe(hasRemedy);
  });

  test('nobody knows since when', () => {
    const [found] = findings('.S', 9, { status: { alarms: [at(9)] } }, { waits: [{ ...stopping, since: null }] });
    expect(found).toMatchObject({ severity: 'info', kind: 'Stopping', since: null });
  });
});

test('since when the oldest launch is under way, if its tasks were read', () => {
  const slot = (index: number, state: 'launched' | 'launching', sec: number) => ({
    id: { index, attempt: 1, nonce: 0 },
    state: 'launched' as const,
    slot: { index, attempt: 1, nonce: 0, state, since: at(sec), taskArn: arnOf(index) } as LaunchSlot,
  });
  const attempts = [slot(0, 'launching', 1), slot(1, 'launched', 3), slot(2, 'launched', 2)];
  const value = { attempts, tasks: new Map(), missing: new Set<never>(), live: [], moreLive: false };
  const since = (tasks: JobSnapshot['tasks']) =>
    findings('lll', 4, {}, { tasks }).find(({ kind }) => kind === 'Active')?.since;
  expect(since({ kind: 'ok', value })).toEqual(at(2));
  expect(since({ kind: 'failed', reason: 'no' })).toBeNull();
});

describe('a Job that is deleted', () => {
  const purging: Wish = { phase: { kind: 'purging', since: at(1) }, status: { alarms: [at(9)] } };
  test.each([
    [purging, at(1)],
    [{ status: { alarms: [at(9)] } }, null],
  ])('in the foreground: since when it waits for its tasks, if STATUS says so (%#)', (wish, since) => {
    const found = findings('.S', 5, wish, { finalizers: ['foregroundDeletion'] });
    expect(found).toMatchObject([{ severity: 'info', kind: 'ForegroundDeletion', since }]);
  });

  test('but held by others: which, and what to do if they never let go', () => {
    const waits = [{ cause: 'finalizers', count: 1, since: at(1), etaMs: null, nextTryMs: null, message: '' } as const];
    const finalizers = ['foregroundDeletion', 'example.com/a', 'example.com/b'];
    const found = findings('.S', 5, purging, { finalizers, waits }).find(({ kind }) => kind === 'Finalizers');
    expect(found).toMatchObject({
      severity: 'info',
      what: 'deleted, but held by its finalizers: example.com/a, example.com/b',
      since: at(1),
      remedy: expect.stringContaining('kubectl patch job work -n default') as string,
    });
  });
});

test.each([
  ['startFailed', 'warning'],
  ['refused', 'warning'],
  ['installation', 'warning'],
  ['capacity', 'info'],
  ['parallelism', 'info'],
] as const)('a wait for %s is a matter of %s, and what to do is said', (cause, severity) => {
  const waits = [{ cause, count: 2, since: null, etaMs: null, nextTryMs: 5_000, message: 'as it is' }];
  const found = findings('.S', 5, { status: { alarms: [at(9)] } }, { waits });
  expect(found).toMatchObject([{ severity, kind: 'Waiting', what: '2 wait: as it is, next try in about 5 s' }]);
  expect(found[0]?.remedy).not.toBe('');
});

describe('hostnames', () => {
  const named = (value: Partial<ProbedName>): Partial<JobSnapshot> => ({
    names: { kind: 'ok', value: { reserved: 0, astray: [], registered: 0, unnamed: [], ...value } },
  });
  const NONE = 'it is over, and has names:';

  test.each<readonly [Partial<ProbedName>, readonly string[]]>([
    [{}, []],
    [{ reserved: 2 }, [`warning NamesHeld: ${NONE} 0 records, 2 names reserved`]],
    [{ registered: 1 }, [`warning NamesHeld: ${NONE} 1 record, 0 names reserved`]],
    [{ reserved: 1, registered: 1 }, [`warning NamesHeld: ${NONE} 1 record, 1 name reserved`]],
  ])('that a Job which is over still has: %j', (names, expected) => {
    expect(brief(findings('S', 5, { phase: finished(0) }, named(names)))).toEqual(expected);
  });

  test.each([
    [600, 'warning'],
    [600.001, 'error'],
  ])('%i s after its end it is a %s', (sec, severity) => {
    expect(findings('S', sec, { phase: finished(0) }, named({ reserved: 1 }))).toMatchObject([
      { severity, since: at(0) },
    ]);
  });

  test('that are not as the board is', () => {
    const found = findings('rr', 5, {}, named({ reserved: 9, registered: 9, astray: [1], unnamed: [0, 1] }));
    expect(brief(found)).toEqual([
      'warning NameAstray: index 1: the name resolves to a task that has ended, or that is not a current attempt',
      'warning Unnamed: 2 indexes (0,1): the task runs, but its name does not resolve to it yet',
      'info Active: active attempts: 2 running',
    ]);
    expect(brief(findings('.S', 5, { status: { alarms: [at(9)] } }, named({ reserved: 2, registered: 2 })))).toEqual(
      [],
    );
  });
});
