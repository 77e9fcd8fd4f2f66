import type { EpochMs } from '../../../domain/base/time.ts';
import type { WaitedFor } from '../../../domain/pending/upstream-waits.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import type { JobSpec } from '../../../domain/manifests/job.ts';
import { cycleText } from '../../../domain/upstreams/cycles.ts';
import { sizeFault } from '../../../domain/upstreams/upstreams.ts';
import type { Finding } from './finding.ts';

/** A Job that others hold, with what was read of those. */
export type HeldSnapshot = {
  readonly now: EpochMs;
  readonly createdAt: EpochMs;
  readonly spec: Pick<JobSpec, 'afterIndexes' | 'completions'>;
  readonly waitedFor: readonly WaitedFor[];
  /** From the Job along what each waits for, back to it; null: there is no cycle, or a very long one. */
  readonly cycle: readonly string[] | null;
};

/** A name that nobody has used so long after the Job was created may be misspelt. */
const NAMELESS_LONG_MS = 3_600_000;

/** What is wrong with the Jobs that a Job waits for, and heals only if somebody does something. */
export function diagnoseUpstreams(
  { now, createdAt, spec, waitedFor, cycle }: HeldSnapshot,
  subject: string,
): readonly Finding[] {
  const found = (severity: Finding['severity'], what: string, remedy: string): Finding => ({
    severity,
    kind: 'WaitsInVain',
    subject,
    what,
    since: createdAt,
    remedy,
  });
  const ofOne = ({ name, uid, job }: WaitedFor): readonly Finding[] => {
    if (uid === null)
      return now - createdAt > NAMELESS_LONG_MS
        ? [found('warning', `there is still no job ${name}, for which it waits`, `Create it, or ${LET_GO}`)]
        : [];
    if (job === null) return [];
    const { phase } = job.status;
    const isSuspended = phase.kind === 'suspended' && phase.held !== true && job.spec.suspend;
    const dependency = spec.afterIndexes.find((each) => each.name === name);
    const fault = dependency === undefined ? null : sizeFault(dependency, sizeOf(job.spec), spec.completions);
    return [
      ...(isSuspended ? [found('warning', `job ${name}, for which it waits, is suspended`, RESUME)] : []),
      ...(fault === null
        ? []
        : [found('warning', `${fault}: one of them was resized`, 'Resize the other as well, or some never start.')]),
    ];
  };
  return [
    ...(cycle === null ? [] : [found('error', cycleText(cycle), `Delete one of them, or ${LET_GO}`)]),
    ...waitedFor.flatMap(ofOne),
  ];
}

const LET_GO = `remove its name from the annotation ${ANNOTATIONS.after}, which is possible until the Job starts.`;
const RESUME = 'Set spec.suspend of that Job to false.';

const sizeOf = ({ completionMode, completions }: JobSpec): Parameters<typeof sizeFault>[1] => ({
  manifest: { spec: { completionMode, ...(completions === null ? {} : { completions }) } },
});
