import type { AttemptId } from '../../../shared/domain/base/fact.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { type Phase, isEnding } from '../../../shared/domain/scoreboard/status.ts';
import type { Transition, TransitionOp } from '../../../shared/domain/scoreboard/transition.ts';
import type { Forbid } from '../checks/law.ts';

/**
 * What is started so long after the commit by which nobody wants it any more was not only under way (G26): a second of rights is
 * claimed at once, just before the first of them comes, and a pass and a message are between the commit and the launch row.
 */
const UNDER_WAY_MS = 3_000;

const ENDS: ReadonlySet<TransitionOp> = new Set(['stopping', 'podDeleted', 'evicted', 'overdue', 'late', 'lateIndex']);

/** Looks at every task that starts in calm weather: since when has nobody wanted it? */
export class LaunchWatch {
  readonly #now: () => EpochMs;
  readonly #unwanted = new Map<JobUid, { ending: EpochMs | null; readonly attempts: Map<string, EpochMs> }>();

  constructor(now: () => EpochMs) {
    this.#now = now;
  }

  committed(uid: JobUid, phase: Phase, fresh: readonly Transition[]): void {
    const known = this.#unwanted.get(uid) ?? { ending: null, attempts: new Map<string, EpochMs>() };
    this.#unwanted.set(uid, known);
    known.ending = isEnding(phase) ? (known.ending ?? this.#now()) : null;
    for (const { op, index, attempt } of fresh)
      if (ENDS.has(op)) known.attempts.set(`${index}/${attempt}`, this.#now());
  }

  taskStarts(uid: JobUid, { index, attempt }: AttemptId, forbid: Forbid): void {
    const { ending = null, attempts } = this.#unwanted.get(uid) ?? {};
    const since = ending ?? attempts?.get(`${index}/${attempt}`) ?? null;
    const afterMs = since === null ? 0 : this.#now() - since;
    const what = (): string => `${index}/${attempt} starts ${afterMs} ms after the commit by which nobody wants it`;
    forbid(afterMs > UNDER_WAY_MS, 'G26', what, index);
  }
}
