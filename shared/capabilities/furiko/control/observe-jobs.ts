import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { ConfigJob, ConfigJobs } from '../domain/config-places.ts';
import { type ConfigState, isUnsettled } from '../domain/config-state.ts';
import { type Status, isHidden, podCount, tally } from '../../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { placeOf } from '../../../control/process/wake-owner.ts';

const AT_ONCE = 20;

/**
 * Jobs of a JobConfig as they are now: those that were reported, and those whose place does not say for sure. If none was reported,
 * all that have a place, in case a report was lost.
 */
export async function observeJobs(
  { places }: ConfigState,
  config: string,
  reported: readonly JobUid[],
  deps: Deps,
): Promise<ConfigJobs> {
  const wanted = reported.length === 0 ? places : places.filter(isUnsettled);
  const uids = [...new Set([...wanted.map(({ uid }) => uid), ...reported])];
  const seen = new Map<JobUid, ConfigJob | null>();
  for (let i = 0; i < uids.length; i += AT_ONCE)
    await Promise.all(
      uids.slice(i, i + AT_ONCE).map(async (uid) => seen.set(uid, await observeJob(uid, config, deps))),
    );
  return seen;
}

/** null: the Job does not exist, or is none of the JobConfig's. */
async function observeJob(uid: JobUid, config: string, { jobs }: Deps): Promise<ConfigJob | null> {
  const spec = await jobs.readSpec(uid);
  if (spec === null || placeOf(spec)?.uid !== config) return null;
  const status = await jobs.readStatus(uid);
  return status === null ? null : configJob(spec, status);
}

function configJob({ identity, furiko }: StoredSpec, status: Status): ConfigJob {
  const { concurrencyPolicy = 'Allow', startAfter } = furiko?.spec.startPolicy ?? {};
  return {
    kind: isOver(status) || furiko?.admissionError !== undefined ? 'over' : isWaiting(status) ? 'waiting' : 'live',
    name: identity.name,
    policy: concurrencyPolicy,
    startAfter: timeOf(startAfter),
    createdAt: identity.createdAt,
    startTime: status.startTime,
  };
}

/** It never started. */
const isWaiting = ({ phase, startTime }: Status): boolean => phase.kind === 'suspended' && startTime === null;

/** Nothing of it runs, nor ever will: one that was deleted counts until its tasks have stopped. */
function isOver(status: Status): boolean {
  const { kind } = status.phase;
  if (kind === 'finished' || kind === 'deleted') return true;
  return (isHidden(status.phase) || kind === 'terminating') && isIdle(status);
}

const isIdle = ({ replacedTasks, inFlight, chunks }: Status): boolean =>
  podCount(tally(chunks)) === 0 && replacedTasks.length === 0 && inFlight.length === 0;

const timeOf = (text: string | undefined): EpochMs | null => (text === undefined ? null : asEpochMs(Date.parse(text)));
