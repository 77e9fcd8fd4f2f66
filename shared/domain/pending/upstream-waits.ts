import { size } from '../base/index-set.ts';
import type { EpochMs } from '../base/time.ts';
import { type Status, podCount, tally } from '../scoreboard/status.ts';
import type { After, AfterIndexes } from '../manifests/annotations/dependencies.ts';
import type { JobSpec } from '../manifests/job.ts';
import { type SeenUpstream, standingOfUpstream } from '../upstreams/upstream.ts';

/** A Job that another one waits for, without its board. `job` null: there is none of the name, or it is gone. */
export type WaitedFor = {
  readonly name: string;
  readonly uid: SeenUpstream['uid'];
  readonly job: { readonly status: Status; readonly spec: JobSpec } | null;
};

/** What the other Jobs have come to, as text, and when the last of them ends at its average pace; null: nobody can say. */
export type Outlook = { readonly message: string; readonly etaMs: number | null };

/** Why a Job is held: what it waits for before it starts. */
export const heldOutlook = (
  { after, afterIndexes }: Pick<JobSpec, 'after' | 'afterIndexes'>,
  seen: readonly WaitedFor[],
  now: EpochMs,
): Outlook => joined([...seen.flatMap((each) => outlooksOf(each, after, now)), ...outlooks(afterIndexes, seen, now)]);

/** Why indexes of a Job that has started are closed. */
export const closedOutlook = (
  { afterIndexes }: Pick<JobSpec, 'afterIndexes'>,
  seen: readonly WaitedFor[],
  now: EpochMs,
): Outlook => joined(outlooks(afterIndexes, seen, now));

function outlooksOf(seen: WaitedFor, after: readonly After[], now: EpochMs): readonly Outlook[] {
  const dependency = after.find(({ name }) => name === seen.name);
  if (dependency === undefined) return [];
  const standing = standingOfUpstream(dependency, { uid: seen.uid, status: seen.job?.status ?? null });
  if (standing.kind !== 'waits') return standing.kind === 'met' ? [] : [{ message: standing.why, etaMs: null }];
  const etaMs = dependency.condition === 'failed' ? null : etaOf(seen, now);
  return [{ message: `${standing.why}${progressText(seen)}`, etaMs }];
}

function outlooks(afterIndexes: readonly AfterIndexes[], seen: readonly WaitedFor[], now: EpochMs): readonly Outlook[] {
  return seen
    .filter(({ name }) => afterIndexes.some((each) => each.name === name))
    .map((each) => ({
      message:
        each.uid === null
          ? `job ${each.name}, which does not exist yet`
          : `indexes of job ${each.name}${progressText(each)}`,
      etaMs: etaOf(each, now),
    }));
}

const joined = (all: readonly Outlook[]): Outlook => ({
  message: `for ${all.map(({ message }) => message).join('; ')}`,
  etaMs: all.some(({ etaMs }) => etaMs === null) ? null : Math.max(...all.map(({ etaMs }) => etaMs ?? 0)),
});

function progressText({ job }: WaitedFor): string {
  if (job === null) return '';
  const total = toSucceed(job);
  const { succeeded } = tally(job.status.chunks);
  return total === null ? `: ${succeeded} succeeded` : `: ${succeeded} of ${total} succeeded`;
}

const toSucceed = ({ status, spec: { completions } }: NonNullable<WaitedFor['job']>): number | null =>
  completions === null ? null : completions - tally(status.chunks).excluded;

/** At the average pace since its start; what it has inherited took no time. */
function etaOf({ job }: WaitedFor, now: EpochMs): number | null {
  if (job === null || job.status.phase.kind !== 'running' || job.status.startTime === null) return null;
  const total = toSucceed(job);
  const { succeeded } = tally(job.status.chunks);
  const done = succeeded - size(job.spec.selection.inherited);
  const tookMs = now - job.status.startTime;
  if (total === null || done <= 0 || tookMs <= 0) return null;
  return (Math.max(0, total - succeeded) / done) * tookMs;
}

/**
 * How many of `pending` indexes are closed, from summaries alone: exact for one Job that is waited for index by index, the least
 * otherwise. What has begun is open.
 */
export function closedCount(
  { afterIndexes }: Pick<JobSpec, 'afterIndexes'>,
  { chunks }: Pick<Status, 'chunks'>,
  seen: readonly WaitedFor[],
  pending: number,
): number {
  const open = seen.flatMap(({ name, job }) => {
    const dependency = afterIndexes.find((each) => each.name === name);
    return dependency === undefined ? [] : [job === null ? 0 : openFor(dependency, job.status)];
  });
  if (open.length === 0) return 0;
  const all = tally(chunks);
  const begun = podCount(all) + all.succeeded + all.failed;
  return Math.max(0, pending - Math.max(0, Math.min(...open) - begun));
}

/** The last index may wait for fewer than the others. */
function openFor({ perIndex }: AfterIndexes, { chunks, size: slots }: Status): number {
  const { succeeded } = tally(chunks);
  return succeeded >= slots ? Math.ceil(succeeded / perIndex) : Math.floor(succeeded / perIndex);
}
