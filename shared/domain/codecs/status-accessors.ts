import type { Reader, Writer } from '../base/bytes.ts';
import type { Status } from '../scoreboard/status.ts';
import { type Frame, HEAD } from './status-fields.ts';

// Written by record-accessors.test.ts, from the tables in status-fields.ts. All objects of a function have one shape.

export function writeHead(w: Writer, s: Status, frame: Frame): void {
  HEAD.revision.write(w, s.revision, frame);
  HEAD.phase.write(w, s.phase, frame);
  HEAD.startTime.write(w, s.startTime, frame);
  HEAD.resumedAt.write(w, s.resumedAt, frame);
  HEAD.endedSuspendedSince.write(w, s.endedSuspendedSince, frame);
  HEAD.failed.write(w, s.failed, frame);
  HEAD.restarts.write(w, s.restarts, frame);
  HEAD.ruleHits.write(w, s.ruleHits, frame);
  HEAD.replacedTasks.write(w, s.replacedTasks, frame);
  HEAD.backoff.failures.write(w, s.backoff.failures, frame);
  HEAD.backoff.lastFailureAt.write(w, s.backoff.lastFailureAt, frame);
  HEAD.stopRound.write(w, s.stopRound, frame);
  HEAD.inspect.write(w, s.inspect, frame);
  HEAD.alarms.write(w, s.alarms, frame);
  HEAD.waitReason.write(w, s.waitReason, frame);
  HEAD.events.write(w, s.events, frame);
  HEAD.relabelled.write(w, s.relabelled, frame);
  HEAD.published.version.write(w, s.published.version, frame);
  HEAD.published.seq.write(w, s.published.seq, frame);
  HEAD.published.at.write(w, s.published.at, frame);
}

/** What comes after the head has its usual value, or none. */
export const readHead = (r: Reader, frame: Frame): Status => ({
  now: frame.now,
  size: frame.size,
  version: frame.version,
  revision: HEAD.revision.read(r, frame),
  phase: HEAD.phase.read(r, frame),
  startTime: HEAD.startTime.read(r, frame),
  resumedAt: HEAD.resumedAt.read(r, frame),
  endedSuspendedSince: HEAD.endedSuspendedSince.read(r, frame),
  failed: HEAD.failed.read(r, frame),
  restarts: HEAD.restarts.read(r, frame),
  ruleHits: HEAD.ruleHits.read(r, frame),
  replacedTasks: HEAD.replacedTasks.read(r, frame),
  backoff: {
    failures: HEAD.backoff.failures.read(r, frame),
    lastFailureAt: HEAD.backoff.lastFailureAt.read(r, frame),
  },
  stopRound: HEAD.stopRound.read(r, frame),
  inspect: HEAD.inspect.read(r, frame),
  alarms: HEAD.alarms.read(r, frame),
  waitReason: HEAD.waitReason.read(r, frame),
  events: HEAD.events.read(r, frame),
  relabelled: HEAD.relabelled.read(r, frame),
  published: {
    version: HEAD.published.version.read(r, frame),
    seq: HEAD.published.seq.read(r, frame),
    at: HEAD.published.at.read(r, frame),
  },
  unannounced: null,
  upstreams: [],
  gang: null,
  achieved: null,
  isAwaited: false,
  chunks: [],
  inFlight: [],
  journal: { nextSeq: frame.nextSeq, entries: [] },
});
