import { describe, expect, test } from 'vitest';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import type { WaitedFor } from '../../../shared/domain/pending/upstream-waits.ts';
import { waitLine } from '../../../shared/domain/pending/wait-words.ts';
import { waitsOf } from '../../../shared/domain/pending/waits.ts';
import type { Phase } from '../../../shared/domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import { type Wish, aBoard, at } from '../../support/a-board.ts';

// Why a Job that waits for others waits, as of 100 s. The other Jobs have started at 0 s unless a test says otherwise.

function other(name: string, strip: string, wish: Wish = {}): WaitedFor {
  const { job, status } = aBoard(strip, wish);
  return { name, uid: asJobUid(`uid-${name}`), job: { status, spec: job.spec } };
}
const absent = (name: string): WaitedFor => ({ name, uid: null, job: null });

const HELD: Phase = { kind: 'suspended', since: at(0), held: true };
const noted = (waitedFor: readonly WaitedFor[]) => ({
  upstreams: waitedFor.map(({ name, uid }) => ({ name, uid, isMet: false })),
});

function lineOf(
  strip: string,
  spec: Partial<JobSpec> & { readonly phase?: Phase },
  ...waitedFor: readonly WaitedFor[]
) {
  const { job, status, stored } = aBoard(strip, { ...spec, status: noted(waitedFor) });
  const board = new WorkingBoard(status, stored);
  const pace = { now: at(100), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
  const waits = waitsOf({ spec: job.spec, status, board, hasNames: false, waitedFor }, pace);
  return { line: waitLine(waits), causes: waits.map(({ cause, count }) => `${count} ${cause}`) };
}

describe('a held Job says what it waits for, what that has come to, and for how long', () => {
  const PREPARE = [{ name: 'prepare', condition: 'complete' }] as const;
  test.each<[because: string, spec: Partial<JobSpec>, others: readonly WaitedFor[], line: string]>([
    [
      'a Job that is half done',
      { after: PREPARE },
      [other('prepare', 'SS..')],
      '3 wait: for job prepare to complete: 2 of 4 succeeded, about 100 s',
    ],
    [
      'one that has not succeeded with anything',
      { after: PREPARE },
      [other('prepare', 'r...')],
      '3 wait: for job prepare to complete: 0 of 4 succeeded',
    ],
    [
      'what was inherited says nothing about its pace',
      { after: PREPARE },
      [other('prepare', 'IIIS..', { selection: { inherited: parseStatusIndexes('0-2', 6), excluded: { edges: [] } } })],
      '3 wait: for job prepare to complete: 4 of 6 succeeded, about 4 min',
    ],
    [
      'excluded indexes do not count',
      { after: PREPARE },
      [other('prepare', 'SSxx.')],
      '3 wait: for job prepare to complete: 2 of 3 succeeded, about 50 s',
    ],
    [
      'a work queue',
      { after: PREPARE },
      [other('prepare', 'rr', { completionMode: 'NonIndexed', completions: null })],
      '3 wait: for job prepare to complete: 0 succeeded',
    ],
    [
      'one that is to come',
      { after: PREPARE },
      [absent('prepare')],
      '3 wait: for job prepare, which does not exist yet',
    ],
    [
      'one that waits itself',
      { after: PREPARE },
      [other('prepare', '..', { phase: HELD })],
      '3 wait: for job prepare to complete, which waits itself: 0 of 2 succeeded',
    ],
    [
      'one that is suspended',
      { after: PREPARE },
      [other('prepare', 'S.', { phase: { kind: 'suspended', since: at(5) } })],
      '3 wait: for job prepare to complete, which is suspended: 1 of 2 succeeded',
    ],
    [
      'nobody knows when a Job fails',
      { after: [{ name: 'check', condition: 'failed' }] },
      [other('check', 'S.')],
      '3 wait: for job check to fail: 1 of 2 succeeded',
    ],
    [
      'the last of several',
      { after: [...PREPARE, { name: 'fetch', condition: 'finished' }] },
      [other('prepare', 'SS..'), other('fetch', 'S...')],
      '3 wait: for job prepare to complete: 2 of 4 succeeded; job fetch to finish: 1 of 4 succeeded, about 5 min',
    ],
    [
      'its first index, too',
      { after: PREPARE, afterIndexes: [{ name: 'map', perIndex: 1 }] },
      [other('prepare', 'SS..'), absent('map')],
      '3 wait: for job prepare to complete: 2 of 4 succeeded; job map, which does not exist yet',
    ],
  ])('%s', (_, spec, others, line) => {
    expect(lineOf('. . .', { ...spec, phase: HELD }, ...others)).toEqual({ line, causes: ['3 upstream'] });
  });
});

describe('closed indexes of a Job that has started', () => {
  const map = (perIndex = 1) => ({ afterIndexes: [{ name: 'map', perIndex }], parallelism: 9 });
  test.each<
    [because: string, own: string, spec: Partial<JobSpec>, others: readonly WaitedFor[], causes: readonly string[]]
  >([
    ['those that are open have begun', 'r S . .', map(), [other('map', 'SS..')], ['2 upstreamIndexes']],
    ['one is open', 'r . . .', map(), [other('map', 'SS..')], ['1 launching', '2 upstreamIndexes']],
    ['by threes', 'r . .', map(3), [other('map', 'SSSSS..')], ['2 upstreamIndexes']],
    ['the last has fewer', 'r . .', map(3), [other('map', 'SSSSSSS')], ['2 launching']],
    [
      'of two Jobs',
      '. . . .',
      { ...map(), afterIndexes: [...map().afterIndexes, { name: 'b', perIndex: 1 }] },
      [other('map', 'SSS.'), other('b', 'S...')],
      ['1 launching', '3 upstreamIndexes'],
    ],
    ['of one that is gone', 'r . .', map(), [{ ...absent('map'), uid: asJobUid('gone') }], ['2 upstreamIndexes']],
    [
      'some have no place besides',
      'r . . .',
      { ...map(), parallelism: 1 },
      [other('map', 'SS..')],
      ['2 upstreamIndexes', '1 parallelism'],
    ],
    ['once it is waited for no more', 'r . . .', map(), [], ['3 launching']],
  ])('%s', (_, own, spec, others, causes) => {
    expect(lineOf(own, spec, ...others).causes).toEqual(causes);
  });

  test('say what the other has come to', () => {
    expect(lineOf('r . . .', map(), other('map', 'Sr..')).line).toBe(
      '3 wait: for indexes of job map: 1 of 4 succeeded, about 5 min',
    );
  });
});
