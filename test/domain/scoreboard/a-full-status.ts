import { CHUNK_INDEXES, freshSummary } from '../../../shared/domain/scoreboard/board.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';

export const NOW = asEpochMs(1_750_000_000_000);
export const at = (ms: number): EpochMs => asEpochMs(NOW + ms);

/** A bit of everything; any change of its bytes is a change of the stored format. */
export const EVERYTHING: Status = {
  version: 300,
  revision: 2,
  phase: {
    kind: 'draining',
    verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too many', decidedBy: 9 },
    since: at(-2),
  },
  startTime: at(-60_000),
  resumedAt: null,
  endedSuspendedSince: at(-7),
  size: 5000,
  chunks: [
    {
      version: 3,
      foldedSeq: 990,
      pending: 2000,
      starting: 90,
      running: 1000,
      waiting: 2,
      stopping: 1,
      succeeded: 1000,
      failed: 6,
      excluded: 0,
      firstPending: 2000,
      soonestDue: at(10_000),
      startingSince: null,
      runningSince: null,
      indexSince: null,
      held: 0,
    },
    freshSummary(5000 - CHUNK_INDEXES),
  ],
  failed: 7,
  restarts: 12,
  ruleHits: [3, 0],
  replacedTasks: [
    { index: 8, attempt: 1, nonce: 0, taskArn: asTaskArn('arn:aws:ecs:task/jobs/aa'), since: at(-9_000) },
    { index: 9, attempt: 2, nonce: 1, taskArn: asTaskArn('arn:aws:ecs:task/jobs/ab'), since: at(-4) },
  ],
  backoff: { failures: 2, lastFailureAt: at(-1) },
  inFlight: [
    { index: 40, attempt: 1, nonce: 0, dueAt: at(60_000) },
    { index: 41, attempt: 2, nonce: 5, dueAt: at(60_000) },
  ],
  stopRound: { cursor: 17, startedAt: at(-3) },
  inspect: { at: at(100), intervalMs: 600 },
  alarms: [at(5), at(60_000)],
  now: NOW,
  waitReason: 'quota',
  journal: {
    nextSeq: 1000,
    entries: [
      { seq: 990, transition: { index: 40, attempt: 1, op: 'claim' } },
      { seq: 991, transition: { index: 41, attempt: 4, op: 'claim' } },
      { seq: 995, transition: { index: 7, attempt: 1, op: 'lost', notBefore: at(10_000) } },
      { seq: 996, transition: { index: 3, attempt: 2, op: 'succeeded' } },
      { seq: 997, transition: { index: 5, attempt: 1, op: 'failed', notBefore: at(20_000) } },
      { seq: 998, transition: { index: 6, attempt: 1, op: 'unstarted', notBefore: at(10_000), since: at(-5) } },
      { seq: 999, transition: { index: 9, attempt: 1, op: 'lostToSpot', notBefore: null } },
    ],
  },
  events: [
    {
      type: 'Normal',
      reason: 'Suspended',
      message: 'Job suspended',
      version: 200,
      firstAt: at(-9),
      at: at(-8),
      count: 2,
    },
    { type: 'Warning', reason: 'X', message: '', version: 300, firstAt: at(0), at: at(0), count: 1 },
  ],
  relabelled: { version: 298, labels: { app: 'a', 'x.y/z': '' } },
  published: { version: 299, seq: 980, at: at(-500) },
  unannounced: null,
  upstreams: [],
  isAwaited: false,
  achieved: null,
  gang: null,
};
