import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { tally } from '../../../shared/domain/scoreboard/status.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import {
  AWS_TIMING,
  CHUNKS_PER_PASS_MAX,
  CLAIMS_IN_FLIGHT_MAX,
  FOLD_AT_ENTRIES,
  pacedTiming,
} from '../../../shared/domain/base/timing.ts';
import {
  type Situation,
  aBoard,
  after,
  arnOf,
  at,
  brief,
  cancelled,
  ended,
  launched,
  plan,
  recordOf,
  running,
  wakeSec,
} from '../../support/a-board.ts';

// What keeps a pass small and the traffic low: limits, repeats, look-ups, alarms, publications, and folds.

/** How many attempts a plan asks to launch or stop. */
const asked = ({ actions }: ReturnType<typeof plan>, kind: 'launch' | 'stop'): number =>
  actions.reduce((sum, action) => sum + (action.kind === kind ? action.attempts.length : 0), 0);

const pending = (count: number): string => '.'.repeat(count);
const none = (count: number): readonly number[] => Array.from({ length: count }, (_, nth) => nth);

describe('claims in flight', () => {
  const large = aBoard(pending(1_200), { parallelism: 1_000 });

  test(`at most ${CLAIMS_IN_FLIGHT_MAX} at once, ten to a message`, () => {
    const first = plan(large);
    expect(asked(first, 'launch')).toBe(CLAIMS_IN_FLIGHT_MAX);
    expect(first.actions.filter(({ kind }) => kind === 'launch')).toHaveLength(CLAIMS_IN_FLIGHT_MAX / 10);
    expect(asked(plan(after(large, first), [], 1), 'launch')).toBe(0);
  });

  test('under a launch limit, as many as launch in four seconds; each message includes how many are ahead of it', () => {
    const timing = pacedTiming(AWS_TIMING, 10);
    const first = planJob(large.job, large.status, large.stored, [], at(0), timing);
    expect(asked(first, 'launch')).toBe(40);
    const ahead = first.actions.map((action) => (action.kind === 'launch' ? action.ahead : null));
    expect(ahead.filter((each) => each !== null)).toEqual([0, 10, 20, 30]);
    const answered = after(large, first);
    const facts = none(10).map((index) => launched(index));
    // Nine answers make room for nine claims, which would not fill a launch row.
    const few = planJob(answered.job, answered.status, answered.stored, facts.slice(0, 9), at(1), timing);
    expect(asked(few, 'launch')).toBe(0);
    const second = planJob(answered.job, answered.status, answered.stored, facts, at(1), timing);
    expect(second.actions).toContainEqual(expect.objectContaining({ kind: 'launch', row: 4, ahead: 30 }));
  });

  test('each answer makes room for one more', () => {
    const first = after(large, plan(large));
    const second = plan(
      first,
      none(30).map((index) => launched(index)),
      1,
    );
    expect(brief(second)).toBe(
      `running, launch ${none(30)
        .map((nth) => 500 + nth)
        .join(' ')}`,
    );
    expect(second.status?.inFlight).toHaveLength(CLAIMS_IN_FLIGHT_MAX);
  });

  test('an unanswered claim is sent again after 60 s, and again, as the same attempt', () => {
    const board = aBoard('c r');
    expect(brief(plan(board, [], 59))).not.toContain('launch');
    const first = plan(board, [], 60);
    expect(brief(first)).toBe('running, launch 0');
    const second = after(board, first);
    expect(brief(plan(second, [], 119))).not.toContain('launch');
    expect(brief(plan(second, [], 120))).toBe('running, launch 0');
  });

  test.each(['suspended', 'purging'] as const)('a claim is canceled, not repeated, while the Job is %s', (kind) => {
    const board = aBoard('c r', { suspend: kind === 'suspended', phase: { kind, since: at(0) } });
    const first = plan(board, [], 60);
    expect(brief(first)).toBe(`${kind}, stop 0 1`);
  });
});

describe('stop rounds', () => {
  const purging = { phase: { kind: 'purging', since: at(0) } } as const;

  test('a stop is repeated every 30 s until STOPPED is seen', () => {
    const board = aBoard('r r', purging);
    const first = plan(board);
    expect(brief(first)).toBe('purging, stop 0 1');
    const second = after(board, first);
    expect(brief(plan(second, [ended(0, 'Stopped', 9)], 9))).toBe('purging');
    const third = after(second, plan(second, [ended(0, 'Stopped', 9)], 9));
    expect(brief(plan(third, [], 29))).not.toContain('stop');
    expect(brief(plan(third, [], 30))).toBe('purging, stop 1');
  });

  test('a pass takes 500 of them; the next continues where it ended', () => {
    const board = aBoard('r'.repeat(700), { ...purging, parallelism: 700 });
    const first = plan(board);
    expect(asked(first, 'stop')).toBe(500);
    expect(wakeSec(first)).toBe(0);
    const second = plan(after(board, first), [], 1);
    expect(asked(second, 'stop')).toBe(200);
    expect(asked(plan(after(after(board, first), second), [], 2), 'stop')).toBe(0);
  });
});

describe('look-ups', () => {
  test('at 5 minutes, then at doubled intervals up to 40', () => {
    let situation = aBoard('r', { status: { inspect: null } });
    const looks: number[] = [];
    for (let sec = 0; sec <= 4 * 3_600; sec += 60) {
      const next = plan(situation, [], sec);
      if (next.actions.some(({ kind }) => kind === 'inspect')) looks.push(sec / 60);
      situation = after(situation, next);
    }
    expect(looks).toEqual([5, 15, 35, 75, 115, 155, 195, 235]);
  });

  test('soon again when something was started', () => {
    const late = { at: at(2_400), intervalMs: 2_400_000 };
    const board = aBoard('r . S', { status: { inspect: late } });
    expect(plan(board, [], 60).status?.inspect).toEqual({ at: at(360), intervalMs: AWS_TIMING.inspectFirstMs });
    expect(plan(aBoard('r S S', { status: { inspect: late } }), [], 60).status?.inspect ?? late).toEqual(late);
  });

  test('never when nothing is active', () => {
    expect(plan(aBoard('r'), [ended(0, 'Completed')], 300).status?.inspect).toBeNull();
  });
});

describe('alarms', () => {
  test('do not multiply: of a thousand wake-ups at once, one causes another', () => {
    let situation = aBoard('w r', { status: { alarms: [] } });
    const wakes: (number | null)[] = [];
    for (let nth = 0; nth < 1_000; nth++) {
      const next = plan(situation, [], 1);
      wakes.push(wakeSec(next));
      situation = after(situation, next);
    }
    expect(wakes.filter((sec) => sec !== null)).toEqual([10]);
  });

  test('an earlier one is sent in addition to one in flight', () => {
    const board = aBoard('w r', { status: { alarms: [at(300)] } });
    const next = plan(board);
    expect(wakeSec(next)).toBe(10);
    expect(next.status?.alarms).toEqual([at(10), at(300)]);
  });

  test('a later one is sent only when its time comes', () => {
    const board = aBoard('w r', { status: { alarms: [at(5)] } });
    expect(wakeSec(plan(board))).toBeNull();
    expect(wakeSec(plan(board, [], 5))).toBe(10);
  });

  test('STATUS remembers at most eight', () => {
    let situation = aBoard('. '.repeat(40), { parallelism: 1, status: { alarms: [] } });
    for (let nth = 0; nth < 40; nth++) {
      const { status } = situation;
      situation = { ...situation, status: { ...status, alarms: [at(1_000 - nth), ...status.alarms].slice(0, 8) } };
      situation = after(situation, plan(situation, [], 0));
      expect(situation.status.alarms.length).toBeLessThanOrEqual(8);
    }
  });
});

describe('publication', () => {
  const justPublished = { published: { version: 5, seq: 0, at: at(0) } };

  test('at most once a second', () => {
    const board = aBoard('r r . .', { status: justPublished });
    const first = plan(board, [ended(0, 'Completed')], 0.4);
    expect(first.publish).toBe(false);
    expect(wakeSec(first)).toBe(1);
    expect(plan(after(board, first), [], 1).publish).toBe(true);
  });

  test('at once when the Job is over, or its phase changes', () => {
    expect(plan(aBoard('S r', { status: justPublished }), [ended(1, 'Completed')], 0.4).publish).toBe(true);
    expect(plan(aBoard('r', { status: justPublished, suspend: true }), [], 0.4).publish).toBe(true);
  });

  test('not if no visible change was made', () => {
    expect(plan(aBoard('r r', { status: justPublished }), [running(0)], 30).publish).toBe(false);
  });

  test('the last change is checked once more, in case this pass dies before it is published', () => {
    const board = aBoard('r', { status: { alarms: [] } });
    const last = plan(board, [ended(0, 'Completed', 7)], 7);
    expect(last.status?.alarms).toEqual([at(67)]);
    expect(wakeSec(last)).toBeNull(); // the sweep runs anyway
    const unpublished = after(board, last);
    expect(plan(unpublished, [], 67).publish).toBe(true);
    const { version } = unpublished.status;
    const told = { ...unpublished, status: { ...unpublished.status, published: { version, seq: 9, at: at(8) } } };
    expect(plan(told, [], 67)).toMatchObject({ publish: false, status: { alarms: [] } });
  });

  test('after a delete is published, nothing more is', () => {
    const board = aBoard('r', {
      phase: { kind: 'purging', since: at(0) },
      status: { published: { version: 0x7fff_ffff, seq: 0, at: at(0) } },
    });
    expect(plan(board, [ended(0, 'Stopped', 5)], 5).publish).toBe(false);
  });
});

describe('folds', () => {
  test(`the journal is folded when ${FOLD_AT_ENTRIES} entries have gathered`, () => {
    const board = aBoard(pending(600), { parallelism: 600 });
    const first = plan(board);
    expect(first.status?.journal.entries).toHaveLength(FOLD_AT_ENTRIES);
    expect(first.folds.map(({ no, expectedVersion }) => [no, expectedVersion])).toEqual([[0, 1]]);
    const folded = after(board, first);
    expect(folded.status.chunks[0]).toMatchObject({ version: 2, foldedSeq: FOLD_AT_ENTRIES });
    expect(recordOf(folded, 499)).toMatchObject({ state: 'claimed', attempt: 1 });
    expect(recordOf(folded, 500)).toMatchObject({ state: 'pending' });
  });

  test('not before', () => {
    const first = plan(aBoard(pending(600), { parallelism: FOLD_AT_ENTRIES - 1 }));
    expect(first.folds).toEqual([]);
    expect(first.status?.journal.entries).toHaveLength(FOLD_AT_ENTRIES - 1);
  });

  test('folded and published entries leave the journal', () => {
    const board = aBoard(pending(600), { parallelism: 600 });
    const folded = after(board, plan(board));
    const published = { version: folded.status.version, seq: FOLD_AT_ENTRIES, at: at(0) };
    const next = plan({ ...folded, status: { ...folded.status, published } }, [launched(0)], 2);
    expect(next.status?.journal.entries.map(({ seq }) => seq)[0]).toBe(FOLD_AT_ENTRIES);
  });

  test(`a pass folds ${CHUNKS_PER_PASS_MAX} chunks at most, those with most entries first`, () => {
    const chunks = CHUNKS_PER_PASS_MAX + 10;
    // Ten active attempts in each chunk, but 20 in the last: all of them are reported as running.
    const wide = wideBoard(chunks);
    const facts = none(chunks).flatMap((no) =>
      none(no === chunks - 1 ? 20 : 10).map((nth) => running(no * CHUNK_INDEXES + nth)),
    );
    const next = plan(wide, facts);
    expect(next.folds).toHaveLength(CHUNKS_PER_PASS_MAX);
    expect(next.folds[0]?.no).toBe(chunks - 1);
    expect(next.folds.at(-1)?.no).toBe(CHUNKS_PER_PASS_MAX - 2);
    const left = next.status?.journal.entries.filter(
      ({ transition }) => transition.index >= (CHUNKS_PER_PASS_MAX - 1) * CHUNK_INDEXES,
    );
    expect(left?.length).toBeGreaterThanOrEqual(10 * 10);
  });
});

describe('chunks that are not loaded', () => {
  const two = (): Situation => aBoard('r . r', { before: CHUNK_INDEXES - 1, parallelism: 3 });
  const withOnly = (no: number, situation = two()): Situation => ({
    ...situation,
    stored: new Map([...situation.stored].filter(([key]) => key === no)),
  });

  test('facts about their indexes are deferred, the others are counted', () => {
    const facts: readonly Fact[] = [ended(CHUNK_INDEXES - 1, 'Completed'), ended(CHUNK_INDEXES + 1, 'Completed')];
    const next = plan(withOnly(0), facts);
    expect(next.deferred.map(({ index }) => index)).toEqual([CHUNK_INDEXES + 1]);
    expect(next.counted).toMatchObject({ succeeded: 1 });
    expect(tally(next.status?.chunks ?? []).succeeded).toBe(CHUNK_INDEXES);
  });

  test('indexes that are ready there are left to the next pass', () => {
    const next = plan(withOnly(0));
    expect(brief(next)).toBe('running');
    expect(wakeSec(next)).toBe(0);
    expect(brief(plan(withOnly(1)))).toBe(`running, launch ${CHUNK_INDEXES}`);
  });

  test('claims and stops there wait, too', () => {
    const claims = aBoard('c S c', { before: CHUNK_INDEXES - 1, parallelism: 3 });
    expect(brief(plan(withOnly(1, claims), [], 60))).toBe(`running, launch ${CHUNK_INDEXES + 1}`);
    const purging = aBoard('r S r', { before: CHUNK_INDEXES - 1, phase: { kind: 'purging', since: at(0) } });
    const first = plan(withOnly(0, purging));
    expect(brief(first)).toBe(`purging, stop ${CHUNK_INDEXES - 1}`);
    expect(brief(plan(withOnly(1, after(purging, first)), [], 1))).toBe(`purging, stop ${CHUNK_INDEXES + 1}`);
  });

  test('a fact about an index that the board does not have changes nothing', () => {
    expect(plan(two(), [cancelled(9_999), ended(9_999, 'Error')]).counted).toMatchObject({ failed: 0 });
    expect(plan(two(), [running(9_999)]).actions).toContainEqual({ kind: 'stopTask', taskArn: arnOf(9_999) });
  });
});

/** A board of many chunks, with a few launched attempts at the beginning of each. */
function wideBoard(chunks: number): Situation {
  const each = none(chunks).map((no) => 'l'.repeat(no === chunks - 1 ? 20 : 10));
  const strip = each.map((start) => start.padEnd(CHUNK_INDEXES, 'S')).join('');
  return aBoard(strip, { parallelism: 10_000 });
}
