import type { CronClaim } from '../domain/cron-state.ts';
import { jobOfSlot } from '../domain/job-of-slot.ts';
import type { ClaimOutcome } from '../../../domain/schedulers/claim-outcome.ts';
import { admitJob } from '../../../schema/job/job-manifest.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';
import { findNamedList } from '../../../store/named-list.ts';
import { createJob, deleteJob } from '../../../control/lifecycle/job-changes.ts';
import { outcomeOf, takenBack } from '../../../control/schedulers/slot-outcome.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { offersOf } from '../../../control/process/offers.ts';
import type { SeenCron } from './seen-cron.ts';

/**
 * Creates the Job of a claim, once however often it is called: its uid is that of the slot.
 *
 * @returns `gone`: the CronJob was deleted meanwhile, and so is the Job
 */
export async function createSlotJob(claim: CronClaim, seen: SeenCron, deps: Deps): Promise<ClaimOutcome | 'gone'> {
  const { uid, name } = claim;
  for (const replaced of claim.replaces) await deleteJob(replaced, deps);
  const known = await deps.jobs.readStatus(uid);
  if (known !== null) return { kind: 'created' };
  const { manifest, row } = seen;
  const { namespace } = row.key;
  const document = jobOfSlot(manifest, row.uid, claim.slot);
  const list = await findNamedList(document.metadata.annotations, namespace, deps);
  const { needsCommand = false, hostFolders = null } = deps.settings;
  const admission = admitJob(document, {
    namespace,
    uid,
    nameSuffix: '',
    fieldValidation: 'Ignore',
    ...offersOf(deps),
    list,
    needsCommand,
    hostFolders,
  });
  if (admission.kind === 'undecodable') return { kind: 'refused', message: admission.message };
  if (admission.kind === 'invalid') {
    const faults = admission.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`);
    return { kind: 'refused', message: `Job.batch ${JSON.stringify(name)} is invalid: ${faults.join(', ')}` };
  }
  const identity = { uid, namespace, name, createdAt: deps.clock.now() };
  const spec = { identity, revision: 1, generation: 1, manifest: admission.manifest };
  const outcome = outcomeOf(await createJob(spec, deps), spec);
  return outcome.kind !== 'created' || (await isThere(seen, deps)) ? outcome : takenBack(claim, deps);
}

/** Its deletion takes its Jobs along, and may have listed them before this one was there. */
async function isThere({ row }: SeenCron, { objects }: Deps): Promise<boolean> {
  const object = await objects.read('CronJob', row.key);
  return object?.document.metadata.uid === row.uid && object.document.metadata['deletionTimestamp'] === undefined;
}
