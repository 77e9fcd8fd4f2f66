import { describe, expect, test } from 'vitest';
import { ALL_QUESTIONS } from './all-questions.ts';
import { isAllAssumed, tableOf } from './report.ts';
import type { Question, Verdict } from './question.ts';
import { protobuf, unsigned, warnings } from './questions/bodies.ts';
import { deletePod, suspend } from './questions/changes.ts';
import { counted } from './questions/counting.ts';
import { deprovisioning, stoppedTask, tags } from './questions/ecs.ts';
import { exitCodes, mainContainer, retry } from './questions/ends.ts';
import { environment, oneStart, spot, spotArm } from './questions/launches.ts';
import { names } from './questions/names.ts';
import { cron, dependency, workList } from './questions/schedules.ts';
import { followedLog, idleWatch, logs } from './questions/streams.ts';

type Case = { readonly name: string; readonly right: Verdict; readonly wrong: readonly Verdict[] };

/** What a question makes of what it assumes, and of each change of that. */
function judged<Seen extends object>(
  { name, judge }: Question<Seen>,
  right: NoInfer<Seen>,
  ...changes: readonly Partial<NoInfer<Seen>>[]
): Case {
  const wrong = changes.map((change) => judge(Array.isArray(right) ? (change as Seen) : { ...right, ...change }));
  return { name, right: judge(right), wrong };
}

const complete = (succeeded: number, failed = 0) => ({ end: 'Complete', succeeded, failed }) as const;
const numbers = Array.from({ length: 1_000 }, (_, n) => `${n + 1}`);
const sixLogs = Array.from({ length: 6 }, (_, n) => [`index ${n}`]);
const watch = {
  idleMs: 125_000,
  headersMs: 90,
  arrivals: [
    { atMs: 30_100, text: ' ' },
    { atMs: 60_200, text: '{"type":"BOOKMARK"}\n' },
  ],
  endedMs: null,
};

const LATE = { status: 'STOPPED', stopCode: 'EssentialContainerExited', exitCode: 3, executionStoppedAt: 0 };
const EARLY = { ...LATE, status: 'DEPROVISIONING' };

const CASES: readonly Case[] = [
  judged(idleWatch, watch, { endedMs: 29_000 }, { headersMs: 30_000 }, { arrivals: watch.arrivals.slice(0, 1) }),
  judged(idleWatch, watch, { arrivals: watch.arrivals.slice(1) }, { arrivals: [] }),
  judged(cron, { slots: ['1', '2'], ends: ['Complete', 'Complete'] }, { slots: ['1', '1'] }, { slots: [], ends: [] }),
  judged(cron, { slots: ['1'], ends: ['Complete'] }, { ends: ['Failed'] }),
  judged(
    suspend,
    { ...complete(2), whileSuspended: { active: 0, failed: 0 } },
    { succeeded: 1 },
    { failed: 1 },
    { end: 'Failed' },
    {
      whileSuspended: { active: 0, failed: 2 },
    },
  ),
  judged(deletePod, complete(1, 1), { failed: 0 }, { succeeded: 0 }, { end: 'Failed' }),
  judged(names, complete(2), { succeeded: 1 }, { end: 'Failed' }),
  judged(followedLog, { text: 'first', phase: 'Running' }, { phase: 'Succeeded' }, { phase: 'gone' }, { text: 'last' }),
  judged(
    exitCodes,
    { ...complete(1, 2), exitCodes: [0, 3, 143] },
    { exitCodes: [0, 143, 3] },
    { exitCodes: [0, 3, null] },
    { succeeded: 0 },
    { failed: 1 },
  ),
  judged(
    mainContainer,
    { ...complete(1, 1), exitCodes: [0, 5], log: ['written first'] },
    { exitCodes: [0, 9] },
    { exitCodes: [5, 0] },
    { succeeded: 2 },
    { failed: 2 },
    { log: [] },
  ),
  judged(retry, { ...complete(1, 1), exitCodes: [1, 0] }, { exitCodes: [1] }, { failed: 0 }, { end: 'Failed' }),
  judged(
    oneStart,
    { ...complete(6), pods: 6, logs: sixLogs },
    { pods: 7 },
    { succeeded: 5 },
    { failed: 1 },
    { logs: [['index 0', 'index 0'], ...sixLogs] },
  ),
  judged(environment, { ...complete(1), log: ['4096 0 3000'] }, { log: ['4096 0 100'] }, { log: [] }),
  judged(spot, { ...complete(1), log: ['x86_64'] }, { succeeded: 0 }, { end: 'Failed' }),
  judged(spotArm, { ...complete(1), log: ['aarch64'] }, { succeeded: 0 }, { end: 'Failed' }),
  judged(
    counted,
    { createdMs: 0, startedMs: 30_000, stoppedMs: 60_000, countedMs: 62_000 },
    { countedMs: 301_000 },
    { stoppedMs: null },
  ),
  judged(logs, [...numbers, 'last'], numbers, [...numbers.toReversed(), 'last'], []),
  judged(
    workList,
    ['0 green apple', '1 pink dragon fruit', '2 gelb Öl'],
    ['0 green apple', '1 pink dragon', '2 gelb l'],
  ),
  judged(
    dependency,
    { ...complete(1), upstreamStoppedMs: 5_000, startedMs: 9_000 },
    { startedMs: 1_000 },
    { end: 'Failed' },
  ),
  judged(
    tags,
    { tags: { 'muster:namespace': 'n', 'muster:job': 'tags' }, startedBy: 'u', uid: 'u' },
    { tags: {} },
    { tags: { 'muster:job': 'tags' } },
    { tags: { 'muster:namespace': 'n' } },
    { startedBy: 'ecs-svc/1' },
  ),
  judged(
    stoppedTask,
    { combined: 'InvalidParameterException', status: 'STOPPED', version: 6 },
    { combined: 'an answer with 1 tasks' },
    { version: 12 },
    { status: 'DEPROVISIONING' },
  ),
  judged(
    deprovisioning,
    { early: EARLY, late: LATE },
    { early: { ...EARLY, exitCode: null } },
    { early: { ...EARLY, executionStoppedAt: null } },
    { late: { ...LATE, stopCode: 'UserInitiated' } },
    { early: null, late: { ...LATE, executionStoppedAt: null } },
    { early: null, late: { ...LATE, exitCode: 0 } },
  ),
  judged(warnings, ['containers[1]: runs beside "main"'], []),
  judged(protobuf, { code: 201, text: '{"metadata":{"name":"protobuf-body"}}' }, { code: 400 }, { text: '{}' }),
  judged(unsigned, { code: 403, text: 'Missing Authentication Token' }, { code: 200 }, { text: '{"gitVersion":""}' }),
];

describe('judgements', () => {
  test('each question has a case', () => {
    expect(new Set(CASES.map(({ name }) => name))).toEqual(new Set(ALL_QUESTIONS.map(({ name }) => name)));
  });

  test.each(CASES)('$name: what is assumed, and what is not', ({ right, wrong }) => {
    expect(right.as).toBe('assumed');
    for (const each of wrong) expect(each).toMatchObject({ as: 'not assumed' });
    expect(wrong.length).toBeGreaterThan(0);
  });
});

test('a row that is not as assumed is red, and so is the run; one that was not asked says why', () => {
  const asked = { name: 'spot', asks: 'Does it?', assumed: 'it does' };
  const unasked = { ...asked, as: 'not asked', seen: 'the account: no Spot quota' } as const;
  expect(isAllAssumed([{ ...asked, ...complete(1), as: 'assumed', seen: 'x86_64' }, unasked])).toBe(true);
  const rows = [{ ...asked, as: 'not assumed', seen: 'it failed' } as const, unasked];
  expect(isAllAssumed(rows)).toBe(false);
  const table = tableOf(rows);
  expect(table).toMatch(/spot +│ NOT AS ASSUMED │ Does it\? +│ it does +│ it failed/);
  expect(table).toMatch(/spot +│ not asked +│ Does it\? +│ it does +│ the account: no Spot quota/);
  expect(table).toContain('0 as assumed, 1 not as assumed, 1 not asked');
});
