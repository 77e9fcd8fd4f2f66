import type { EpochMs } from '../domain/brand.ts';
import type { Draft } from '../domain/draft.ts';
import { hasPod } from '../domain/index-record.ts';
import { planningSpec } from '../domain/job.ts';
import { type PodRef, jobEvents } from '../domain/job-events.ts';
import type { JobEvent } from '../domain/status.ts';
import { type Status, isEnding } from '../domain/status.ts';
import type { JobView } from '../kube/read-job.ts';
import { type JobObject, renderJob } from '../kube/render-job.ts';

export type JobStatus = JobObject['status'];

/** What a user could see from one moment on. */
export type TimelineEntry = {
  /** Seconds since the Job was created. */
  readonly atSec: number;
  readonly status: JobStatus;
  readonly events: readonly JobEvent[];
};

type Pod = { readonly attempt: number; readonly live: boolean; readonly stopping: boolean };

const NO_POD: Pod = { attempt: 0, live: false, stopping: false };

/** Writes down what every commit makes visible: a status that is not as it was, or events. */
export class Timeline {
  readonly entries: TimelineEntry[] = [];
  readonly #start: EpochMs;
  /** The latest Pod of each index. */
  readonly #pods = new Map<number, Pod>();
  #status: Status | null = null;
  #shown = '';

  constructor(start: EpochMs) {
    this.#start = start;
  }

  /** Is told of each commit, in order; the board has its changes. What the Job's status is then. */
  committed(view: JobView, now: EpochMs): JobStatus {
    const before = this.#status;
    const { spec, status, board } = view;
    const job = { ...spec.identity, spec: planningSpec(spec.manifest) };
    const { created, deleted } = this.#podChanges(before, status, board);
    this.#status = status;
    const shown = this.#withLastWords(renderJob(view).status, status);
    this.#add(shown, jobEvents(before, status, job, created, deleted), now);
    return shown;
  }

  /** Something that changed nothing, but that people are told of. */
  told(event: JobEvent, now: EpochMs): void {
    const last = this.entries.at(-1);
    if (last !== undefined) this.#add(last.status, [event], now);
  }

  /** Nobody sees a deleted Job; what was said of it before stays said here. */
  #withLastWords(shown: JobStatus, { phase }: Status): JobStatus {
    const last = this.entries.at(-1)?.status;
    if (last === undefined || (phase.kind !== 'deleting' && phase.kind !== 'deleted')) return shown;
    const { conditions, completionTime } = last;
    return {
      ...shown,
      ...(completionTime === undefined ? {} : { completionTime }),
      ...(conditions === undefined ? {} : { conditions }),
    };
  }

  #add(status: JobStatus, events: readonly JobEvent[], now: EpochMs): void {
    const shown = JSON.stringify(status);
    if (shown === this.#shown && events.length === 0) return;
    this.#shown = shown;
    this.entries.push({ atSec: secondsSince(this.#start, now), status, events });
  }

  #podChanges(before: Status | null, after: Status, board: Draft) {
    const created: PodRef[] = [];
    const deleted: PodRef[] = [];
    const since = before?.journal.nextSeq ?? 0;
    const touched = after.journal.entries.filter(({ seq }) => seq >= since).map(({ transition }) => transition.index);
    for (const index of new Set(touched)) {
      const known = this.#pods.get(index) ?? NO_POD;
      const record = board.record(index);
      if (record === null) continue;
      for (let attempt = known.attempt + 1; attempt <= record.attempt; attempt++) created.push({ index, attempt });
      const wasStopping = known.stopping && known.attempt === record.attempt;
      if (record.stopping && !wasStopping) deleted.push({ index, attempt: record.attempt });
      const stopping = record.stopping || wasStopping;
      this.#pods.set(index, { attempt: record.attempt, live: hasPod(record.state), stopping });
    }
    if (endsAll(before, after))
      for (const [index, pod] of this.#pods) {
        if (!pod.live || pod.stopping) continue;
        deleted.push({ index, attempt: pod.attempt });
        this.#pods.set(index, { ...pod, stopping: true });
      }
    return { created, deleted };
  }
}

/** The controller deletes all Pods; when a user deletes the Job, they go with it and nobody says so. */
const endsAll = (before: Status | null, { phase }: Status): boolean =>
  isEnding(phase) && phase.kind !== 'deleting' && (before === null || !isEnding(before.phase));

/** Whole milliseconds are exact enough, and print well. */
export const secondsSince = (start: EpochMs, at: EpochMs): number => Math.round(at - start) / 1000;
