import { describe, expect, test } from 'vitest';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { AWS_TIMING, EMBEDDED_TIMING } from '../../../shared/domain/base/timing.ts';
import { chunksForSettled } from '../../../shared/domain/scoreboard/settled-indexes.ts';
import type { Finished, Phase, Status, Upstream, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import { parseAfter, parseAfterIndexes } from '../../../shared/domain/manifests/annotations/dependencies.ts';
import { noteAwaited } from '../../../shared/domain/upstreams/awaited.ts';
import { cycleText, pathBack } from '../../../shared/domain/upstreams/cycles.ts';
import { OPEN_GATE } from '../../../shared/domain/upstreams/index-gate.ts';
import {
  type ReadUpstream,
  judgeUpstreams,
  lookAgainAt,
  sizeFault,
  upstreamsToRead,
} from '../../../shared/domain/upstreams/upstreams.ts';
import { type Wish, aBoard, at } from '../../support/a-board.ts';
import { aJob } from '../../support/a-job.ts';

const verdict = (reason: 'CompletionsReached' | 'SuccessPolicy' | 'FailedIndexes'): Verdict =>
  reason === 'FailedIndexes'
    ? { kind: 'failed', reason, message: '', decidedBy: null }
    : { kind: 'complete', reason, message: '', decidedBy: null };
const finished = (reason: Parameters<typeof verdict>[0]): Finished => ({
  kind: 'finished',
  verdict: verdict(reason),
  since: at(1),
  at: at(2),
});
const COMPLETE = finished('CompletionsReached');
const FAILED = finished('FailedIndexes');

/** A Job as a pass has read it: by its board and its phase. */
function seen(name: string, strip: string, { withBoard = false, ...wish }: Wish & { withBoard?: boolean } = {}) {
  const { status, stored } = aBoard(strip, wish);
  const chunks = new Map(chunksForSettled(status, ['succeeded']).map((no) => [no, stored.get(no)!]));
  const { manifest } = aJob({ name, completions: strip.replaceAll(' ', '').length });
  const board = withBoard ? { status, board: new WorkingBoard(status, chunks) } : null;
  return { name, uid: asJobUid(`uid-${name}`), status, manifest, board } satisfies ReadUpstream;
}
const map = (strip: string, wish: Wish = {}): ReadUpstream => seen('map', strip, { ...wish, withBoard: true });
const absent = (name: string): ReadUpstream => ({ name, uid: null, status: null, manifest: null, board: null });
const gone = (name: string): ReadUpstream => ({ ...absent(name), uid: asJobUid(`uid-${name}`) });
const foreign = (of: ReadUpstream): ReadUpstream => ({
  ...of,
  manifest: { spec: { ...aJob().manifest.spec, managedBy: 'example.com/other' } },
});

const unseen = (name: string): Upstream => ({ name, uid: null, isMet: false });
const open = (name: string): Upstream => ({ name, uid: asJobUid(`uid-${name}`), isMet: false });
const met = (name: string): Upstream => ({ ...open(name), isMet: true });

type Waiting = {
  after?: string;
  indexes?: string;
  completions?: number;
  known?: readonly Upstream[];
  started?: boolean;
};

function waiting({ after = '', indexes = '', completions = 3, known, started = false }: Waiting) {
  const [jobs, boards] = [parseAfter(after), parseAfterIndexes(indexes)];
  const spec = {
    after: jobs.kind === 'ok' ? jobs.after : [],
    afterIndexes: boards.kind === 'ok' ? boards.afterIndexes : [],
    completions,
  };
  const names = [...spec.after, ...spec.afterIndexes].map(({ name }) => name);
  return {
    spec,
    status: { upstreams: known ?? names.map(unseen), startTime: started ? at(0) : null, size: completions },
  };
}

const judge = (job: Waiting, ...read: readonly ReadUpstream[]) =>
  judgeUpstreams(waiting(job), new Map(read.map((each) => [each.name, each])));

describe('a Job waits', () => {
  const RUNNING = seen('prepare', 'r .');
  test.each<[because: string, job: Waiting, read: readonly ReadUpstream[], waitsFor: readonly string[]]>([
    ['for one that runs', { after: 'prepare' }, [RUNNING], ['job prepare to complete']],
    ['for one that comes later', { after: 'prepare' }, [absent('prepare')], ['job prepare, which does not exist yet']],
    ['for none that has come to it', { after: 'prepare' }, [seen('prepare', 'S', { phase: COMPLETE })], []],
    [
      'for each of several',
      { after: 'prepare, fetch:finished, check:failed' },
      [RUNNING, seen('fetch', 'F', { phase: FAILED }), seen('check', 'r')],
      ['job prepare to complete', 'job check to fail'],
    ],
    ['for the first index of another', { indexes: 'map' }, [map('r . .')], ['the first indexes of job map']],
    ['for one whose indexes will come', { indexes: 'map' }, [absent('map')], ['job map, which does not exist yet']],
    ['for nothing more once one index is open', { indexes: 'map' }, [map('r . S')], []],
    [
      'for the second of two such Jobs',
      { indexes: 'map, weights' },
      [map('S . S'), seen('weights', '. S .', { withBoard: true })],
      ['the first indexes of job map', 'the first indexes of job weights'],
    ],
    [
      'for both kinds',
      { after: 'prepare', indexes: 'map' },
      [RUNNING, map('. . .')],
      ['job prepare to complete', 'the first indexes of job map'],
    ],
    ['for nothing if none opens any more: it has to fail', { indexes: 'map' }, [map('F F F', { phase: FAILED })], []],
    ['for nothing once it has started', { indexes: 'map', started: true }, [map('. . .')], []],
  ])('%s', (_, job, read, waitsFor) => {
    expect(judge(job, ...read)).toMatchObject({ waitsFor, never: null });
  });
});

describe('what STATUS remembers', () => {
  const RUNNING = seen('prepare', 'r');
  const DONE = seen('prepare', 'S', { phase: COMPLETE });
  test.each<[because: string, job: Waiting, read: readonly ReadUpstream[], known: readonly Upstream[]]>([
    ['a Job that is seen first', { after: 'prepare' }, [RUNNING], [open('prepare')]],
    ['nothing of one that does not exist', { after: 'prepare' }, [absent('prepare')], [unseen('prepare')]],
    ['that it is done', { after: 'prepare' }, [DONE], [met('prepare')]],
    [
      'that it was',
      { after: 'prepare, b', known: [met('prepare'), unseen('b')] },
      [absent('b')],
      [met('prepare'), unseen('b')],
    ],
    ['only what it still waits for', { after: 'b', known: [open('a'), open('b')] }, [seen('b', 'r')], [open('b')]],
    ['that all indexes have succeeded', { indexes: 'map' }, [map('S S S', { phase: COMPLETE })], [met('map')]],
    ['not before its end', { indexes: 'map' }, [map('S S S')], [open('map')]],
    [
      'not if fewer were enough',
      { indexes: 'map' },
      [map('S S .', { phase: finished('SuccessPolicy') })],
      [open('map')],
    ],
    ['not if some never ran', { indexes: 'map' }, [map('S x S', { phase: COMPLETE })], [open('map')]],
  ])('%s', (_, job, read, known) => {
    expect(judge(job, ...read).known).toEqual(known);
  });

  test('is the very same list if nothing is new, so that nothing is stored', () => {
    const known = [met('a'), open('b')];
    expect(judge({ after: 'a, b', known }, seen('b', 'r')).known).toBe(known);
    expect(judge({ after: 'a, b', known }, seen('b', 'S', { phase: COMPLETE })).known).not.toBe(known);
  });

  test('the uid of the first that was seen stays, even if another is read', () => {
    const other = { ...RUNNING, uid: asJobUid('another') };
    expect(judge({ after: 'prepare', known: [open('prepare')] }, other).known).toEqual([open('prepare')]);
  });

  test('what is met need not be read again', () => {
    const { spec, status } = waiting({ after: 'a, b', indexes: 'c', known: [met('a'), open('b'), unseen('c')] });
    expect(upstreamsToRead({ spec, status })).toEqual(['b', 'c']);
    expect(judge({ after: 'a', known: [met('a')] })).toMatchObject({ waitsFor: [], never: null, gate: OPEN_GATE });
  });
});

describe('what never comes', () => {
  const RUNNING = seen('prepare', 'r');
  test.each<[because: string, job: Waiting, read: readonly ReadUpstream[], never: string | null]>([
    ['a failed Job', { after: 'prepare' }, [seen('prepare', 'F', { phase: FAILED })], 'job prepare has failed'],
    ['a Job that is gone', { after: 'prepare' }, [gone('prepare')], 'job prepare was deleted before its end'],
    ['one of another controller', { after: 'prepare' }, [foreign(RUNNING)], 'another controller runs job prepare'],
    ['its indexes', { indexes: 'map' }, [foreign(map('r . .'))], 'another controller runs job map'],
    [
      'another number of indexes',
      { indexes: 'map' },
      [map('r .')],
      'job map has 2 indexes: completions must be 2, not 3',
    ],
    [
      'a number that does not fit',
      { indexes: 'map/2' },
      [map('. . . . . . .')],
      'job map has 7 indexes, 2 for each index: completions must be 4, not 3',
    ],
    ['the first of several', { after: 'a, b' }, [gone('a'), gone('b')], 'job a was deleted before its end'],
    ['one of another size, once the Job has started', { indexes: 'map', started: true }, [map('r .')], null],
    ['indexes of a Job that is gone: others may have opened', { indexes: 'map' }, [gone('map')], null],
  ])('%s', (_, job, read, never) => {
    expect(judge(job, ...read).never).toBe(never);
  });

  test.each<[theirs: number, perIndex: number, ours: number | null, fault: string | null]>([
    [10, 1, 10, null],
    [10, 5, 2, null],
    [10, 4, 3, null],
    [1, 1_000, 1, null],
    [0, 1, 0, null],
    [10, 1, null, 'job map has 10 indexes: completions must be 10, not left out'],
    [10, 4, 2, 'job map has 10 indexes, 4 for each index: completions must be 3, not 2'],
  ])('%i indexes, %i for each of %s', (theirs, perIndex, ours, fault) => {
    const { manifest } = aJob({ completions: theirs });
    expect(sizeFault({ name: 'map', perIndex }, { manifest }, ours)).toBe(fault);
    const slots = aJob({ completions: theirs, completionMode: 'NonIndexed' });
    expect(sizeFault({ name: 'map', perIndex }, slots, ours)).toBe('job map is not Indexed: its Pods have no indexes');
    expect(sizeFault({ name: 'map', perIndex }, { manifest: null }, ours)).toBeNull();
  });
});

test('the gate is that of the Jobs that are not done', () => {
  const { gate } = judge({ indexes: 'map, weights' }, map('S S S', { phase: COMPLETE }), {
    ...seen('weights', 'S . S', { withBoard: true }),
  });
  expect([0, 1, 2].map((index) => gate.isOpen(index))).toEqual([true, false, true]);
  expect(judge({ indexes: 'map' }, map('S S S', { phase: COMPLETE })).gate).toBe(OPEN_GATE);
  expect(judge({ indexes: 'map' }, gone('map')).gate).toMatchObject({ isFinal: true });
});

describe('a look that nobody asks for comes', () => {
  const HOUR = 3_600;
  test.each<[waitedSec: number, aws: number, embedded: number]>([
    [0, 60, 10],
    [60, 60, 10],
    [500, 60, 50],
    [601, 60.1, 60.1],
    [3_000, 300, 100],
    [24 * HOUR, 600, 100],
    [-5, 60, 10],
  ])('after %i s: in %d s on AWS, in %d s embedded', (waitedSec, aws, embedded) => {
    const inSec = (timing: typeof AWS_TIMING) => (lookAgainAt(at(0), at(waitedSec), timing) - at(waitedSec)) / 1_000;
    expect([inSec(AWS_TIMING), inSec(EMBEDDED_TIMING)]).toEqual([aws, embedded]);
  });
});

describe('a Job whose indexes are awaited', () => {
  const status = (phase: Phase, more: Partial<Status> = {}) => aBoard('r .', { phase, status: more }).status;

  test('knows it from then on, and users need not see that', () => {
    const before = status({ kind: 'running' });
    expect(noteAwaited(before)).toEqual({
      ...before,
      version: 6,
      published: { ...before.published, version: 6 },
      isAwaited: true,
    });
  });

  test('still publishes what it has not', () => {
    const published = { version: 4, seq: 0, at: at(0) };
    expect(noteAwaited(status({ kind: 'running' }, { published }))).toMatchObject({ version: 6, published });
  });

  test.each<[because: string, status: Status]>([
    ['it knows already', status({ kind: 'running' }, { isAwaited: true })],
    ['it is over', status(COMPLETE)],
    ['it is deleted', status({ kind: 'deleted', since: at(1), at: at(2) })],
  ])('nothing is stored if %s', (_, before) => {
    expect(noteAwaited(before)).toBeNull();
  });
});

test.each<[waitsFor: Readonly<Record<string, string>>, first: string, path: string]>([
  [{ b: 'a' }, 'b', 'a → b → a'],
  [{ d: 'c', c: 'b', b: 'a' }, 'd', 'a → d → c → b → a'],
])('a cycle along %o', (waitsFor, first, path) => {
  const found = pathBack('a', first, new Map(Object.entries(waitsFor)));
  expect(cycleText(found)).toBe(`these Jobs would wait for one another for ever: ${path}`);
});
