import type { JobUid } from '../../../domain/base/ids.ts';
import { asTime } from '../../../domain/base/time.ts';
import { warning, withEvent } from '../../../domain/events/job-events.ts';
import type { ConfigPlace } from '../domain/config-state.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { changeSpec } from '../../../control/lifecycle/job-changes.ts';
import { TRIES_MAX, liveJob, nextVersion, publishAndWake } from '../../../control/lifecycle/live-job.ts';
import { retryOnConflict } from '../../../store/retry-on-conflict.ts';
import type { Deps } from '../../../control/process/deps.ts';

/**
 * Lets a Job start whose turn has come. One that may start already stays as it is, and so does one for which no quota has room: it
 * is tried again a minute later, and an Event says so.
 */
export async function letIn({ uid }: ConfigPlace, deps: Deps): Promise<void> {
  const started = await changeSpec(
    uid,
    (spec) => {
      const { manifest } = spec;
      if (manifest.spec.suspend !== true) return null;
      return { ...spec, manifest: { ...manifest, spec: { ...manifest.spec, suspend: false } } };
    },
    deps,
  );
  if (started.kind === 'forbidden') await sayRefused(uid, started.why, deps);
}

const REFUSED = 'FailedResume';

/** Once a Job, however often it is tried: what is used changes all the time, and each text would be an Event of its own. */
async function sayRefused(uid: JobUid, why: string, deps: Deps): Promise<void> {
  await retryOnConflict(`Job ${uid}`, TRIES_MAX, async () => {
    const seen = await liveJob(uid, deps);
    if (seen === null || seen.status.events.some(({ reason }) => reason === REFUSED)) return 'done';
    const message = `Error resuming: ${why}; it is tried again each minute`;
    const next = withEvent(nextVersion(seen.status, deps.clock.now()), warning(REFUSED, message));
    const committed = await deps.jobs.commitPass(uid, next, []);
    return committed.kind === 'lost' ? 'conflict' : publishAndWake(seen.spec.identity, next, deps);
  });
}

/** Ends a Job whose policy stood against its start when its time came: it says so, and is stopped before it begins. */
export async function turnAway({ uid }: ConfigPlace, config: string, deps: Deps): Promise<void> {
  const killAt = asTime(deps.clock.now());
  await changeSpec(
    uid,
    (spec) => {
      const { manifest, furiko } = spec;
      if (furiko === undefined || furiko.admissionError !== undefined) return null;
      const admissionError = `JobConfig ${config} had as many active Jobs as it allows when this one was to start`;
      const annotations = { ...manifest.metadata.annotations, [ANNOTATIONS.killAt]: killAt };
      const metadata = { ...manifest.metadata, annotations };
      return { ...spec, manifest: { ...manifest, metadata }, furiko: { ...furiko, admissionError } };
    },
    deps,
  );
}
