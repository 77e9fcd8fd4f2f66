import { describe, expect, test } from 'vitest';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import type { Finished, Phase, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { AFTER_CONDITIONS, type AfterCondition } from '../../../shared/domain/manifests/annotations/dependencies.ts';
import { standingOfUpstream } from '../../../shared/domain/upstreams/upstream.ts';
import { at } from '../../support/a-board.ts';

const UID = asJobUid('uid-prepare');
const complete: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null };
const failed: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: 3 };
const ended = (verdict: Verdict): Finished => ({ kind: 'finished', verdict, since: at(1), at: at(2) });
const since = at(3);

/** What may have become of a Job, by what a test calls it; null: its rows are gone. */
const PHASES: Readonly<Record<string, Phase | null>> = {
  running: { kind: 'running' },
  suspended: { kind: 'suspended', since },
  held: { kind: 'suspended', since, held: true },
  'about to be complete': { kind: 'draining', verdict: complete, since },
  'about to have failed': { kind: 'draining', verdict: failed, since },
  complete: ended(complete),
  failed: ended(failed),
  'terminating, running': { kind: 'terminating', since, ended: null },
  'terminating, complete': { kind: 'terminating', since, ended: ended(complete) },
  'terminating, failed': { kind: 'terminating', since, ended: ended(failed) },
  'purging, running': { kind: 'purging', since },
  'purging, complete': { kind: 'purging', since, ended: ended(complete) },
  'purging, failed': { kind: 'purging', since, ended: ended(failed) },
  'deleted, running': { kind: 'deleted', since, at: since },
  'deleted, complete': { kind: 'deleted', since, at: since, ended: ended(complete) },
  'deleted, failed': { kind: 'deleted', since, at: since, ended: ended(failed) },
  gone: null,
};

const MET = 'met';
const AIMS = { complete: 'complete', failed: 'fail', finished: 'finish' } as const;
const waits = (rest = ''): Record<AfterCondition, string> => ({
  complete: `waits for job prepare to ${AIMS.complete}${rest}`,
  failed: `waits for job prepare to ${AIMS.failed}${rest}`,
  finished: `waits for job prepare to ${AIMS.finished}${rest}`,
});
const atEnd = (kind: 'complete' | 'failed'): Record<AfterCondition, string> => ({
  complete: kind === 'complete' ? MET : 'never: job prepare has failed',
  failed: kind === 'failed' ? MET : 'never: job prepare is complete, and has not failed',
  finished: MET,
});
const LOST = 'never: job prepare was deleted before its end';
const lost: Record<AfterCondition, string> = { complete: LOST, failed: LOST, finished: LOST };

const EXPECTED: Readonly<Record<string, Record<AfterCondition, string>>> = {
  running: waits(),
  suspended: waits(', which is suspended'),
  held: waits(', which waits itself'),
  'about to be complete': waits(),
  'about to have failed': waits(),
  complete: atEnd('complete'),
  failed: atEnd('failed'),
  'terminating, running': lost,
  'terminating, complete': atEnd('complete'),
  'terminating, failed': atEnd('failed'),
  'purging, running': lost,
  'purging, complete': atEnd('complete'),
  'purging, failed': atEnd('failed'),
  'deleted, running': lost,
  'deleted, complete': atEnd('complete'),
  'deleted, failed': atEnd('failed'),
  gone: lost,
};

const wordsOf = (condition: AfterCondition, phase: Phase | null, uid = UID): string => {
  const standing = standingOfUpstream(
    { name: 'prepare', condition },
    { uid, status: phase === null ? null : { phase } },
  );
  return standing.kind === 'met' ? MET : `${standing.kind}${standing.kind === 'never' ? ': ' : ' for '}${standing.why}`;
};

describe('a Job that waits for prepare', () => {
  test.each(Object.keys(PHASES))('which is %s', (what) => {
    const said = Object.fromEntries(AFTER_CONDITIONS.map((each) => [each, wordsOf(each, PHASES[what] ?? null)]));
    expect(said).toEqual(EXPECTED[what]);
  });

  test.each(AFTER_CONDITIONS)('to be %s, waits for one that does not exist yet', (condition) => {
    expect(standingOfUpstream({ name: 'prepare', condition }, { uid: null, status: null })).toEqual({
      kind: 'waits',
      why: 'job prepare, which does not exist yet',
    });
  });
});
