import type { ClaimOutcome } from '../../../domain/schedulers/claim-outcome.ts';
import type { ConfigPlace } from '../domain/config-state.ts';
import { scheduledJobDocument } from '../domain/scheduled-job.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { admitFurikoJob } from '../schema/furiko-job-admission.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';
import { outcomeOf, takenBack } from '../../../control/schedulers/slot-outcome.ts';
import { createJob } from '../../../control/lifecycle/job-changes.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { offersOf } from '../../../control/process/offers.ts';
import type { SeenConfig } from './seen-config.ts';

/**
 * Creates the Job of a slot that has a place, once however often it is called: its uid is that of the slot. It is stored suspended
 * if it has to wait.
 *
 * @returns `gone`: the JobConfig was deleted meanwhile, and so is the Job
 */
export async function createConfigJob(
  { uid, name, slot, at, stage }: ConfigPlace,
  seen: SeenConfig,
  deps: Deps,
): Promise<ClaimOutcome | 'gone'> {
  if (slot === null || (await deps.jobs.readStatus(uid)) !== null) return { kind: 'created' };
  const { manifest: config, row } = seen;
  const { namespace } = row.key;
  const admission = admitFurikoJob(scheduledJobDocument(config, slot), {
    namespace,
    uid,
    nameSuffix: '',
    fieldValidation: 'Ignore',
    ...offersOf(deps),
    needsCommand: deps.settings.needsCommand ?? false,
    hostFolders: deps.settings.hostFolders ?? null,
    now: at,
    config: { manifest: config, uid: row.uid },
  });
  if (admission.kind === 'undecodable') return { kind: 'refused', message: admission.message };
  if (admission.kind === 'invalid') {
    const faults = admission.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`);
    return { kind: 'refused', message: `it is invalid: ${faults.join(', ')}` };
  }
  const { manifest, furiko } = admission;
  const waiting = { ...manifest, spec: { ...manifest.spec, suspend: stage === 'queued' } };
  const identity = { uid, namespace, name, createdAt: at };
  const spec: StoredSpec = { identity, revision: 1, generation: 1, manifest: waiting, furiko };
  const outcome = outcomeOf(await createJob(spec, deps), spec);
  return outcome.kind !== 'created' || (await isThere(seen, deps)) ? outcome : takenBack({ uid }, deps);
}

/** Its deletion takes its Jobs along, and may have listed them before this one was there. */
async function isThere({ row }: SeenConfig, { objects }: Deps): Promise<boolean> {
  const object = await objects.read('JobConfig', row.key);
  return object?.document.metadata.uid === row.uid && object.document.metadata['deletionTimestamp'] === undefined;
}
