import type { EpochMs } from '../../../domain/base/time.ts';
import type { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import { hasPod } from '../../../domain/scoreboard/index-record.ts';
import { type PodRef, jobEvents } from '../../../domain/events/job-events.ts';
import type { JobEvent } from '../../../domain/scoreboard/status.ts';
import { type Status, isEnding } from '../../../domain/scoreboard/status.ts';
import { toJob } from '../../../store/to-job.ts';
import type { JobView } from '../../../kube/jobs/job-view.ts';
import { type JobObject, renderJob } from '../../../kube/jobs/render-job.ts';

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

  /** Called with each commit, in order; the board includes its changes. Returns the Job's status after it. */
  committed(view: JobView, now: EpochMs): JobStatus {
    const before = this.#status;
    const { spec, status, board } = view;
    const { created, deleted } = this.#podChanges(before, status, board);
    this.#status = status;
    const shown = this.#withLastWords(renderJob(view).status, status);
    this.#add(shown, jobEvents(before, status, toJob(spec), created, deleted), now);
    return shown;
  }

  /** Something that changed nothing, but that users should see. */
  addEvent(event: JobEvent, now: EpochMs): void {
    const last = this.entries.at(-1);
    if (last !== undefined) this.#add(last.status, [event], now);
  }

  /** A deleted Job is no longer visible; what was reported about it before stays here. */
  #withLastWords(shown: JobStatus, { phase }: Status): JobStatus {
    const last = this.entries.at(-1)?.status;
    if (last === undefined || (phase.kind !== 'purging' && phase.kind !== 'deleted')) return shown;
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

  #podChanges(before: Status | null, after: Status, board: WorkingBoard) {
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

/** The controller deletes all Pods; when a user deletes the Job, they are deleted with it, without an Event. */
const endsAll = (before: Status | null, { phase }: Status): boolean =>
  isEnding(phase) && phase.kind !== 'purging' && (before === null || !isEnding(before.phase));

/** Whole milliseconds are exact enough, and print well. */
export const secondsSince = (start: EpochMs, at: EpochMs): number => Math.round(at - start) / 1000;
