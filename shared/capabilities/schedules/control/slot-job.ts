import type { CronClaim } from '../domain/cron-state.ts';
import { jobOfSlot } from '../domain/job-of-slot.ts';
import type { ClaimOutcome } from '../domain/plan-cron.ts';
import { isHidden } from '../../../domain/scoreboard/status.ts';
import type { CreatedJob } from '../../../ports/job-commands.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { admitJob } from '../../../schema/job/job-manifest.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';
import { findNamedList } from '../../../store/named-list.ts';
import { createJob, deleteJob } from '../../../control/lifecycle/job-changes.ts';
import type { Deps } from '../../../control/process/deps.ts';
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
  const hosts = deps.hostnames === null ? null : { max: deps.settings.hosts.max };
  const { needsCommand = false } = deps.settings;
  const admission = admitJob(document, {
    namespace,
    uid,
    nameSuffix: '',
    fieldValidation: 'Ignore',
    hosts,
    list,
    needsCommand,
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

/** What an attempt to create a slot's Job means to its scheduler. */
export function outcomeOf(created: CreatedJob, { identity: { namespace, name } }: StoredSpec): ClaimOutcome {
  switch (created.kind) {
    case 'created':
      return { kind: 'created' };
    case 'taken':
      return { kind: 'taken', message: `jobs.batch ${JSON.stringify(name)} already exists` };
    case 'invalid':
      return {
        kind: 'refused',
        message: created.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`).join(', '),
      };
    case 'noHosts':
      return { kind: 'refused', message: 'there are no names left for its tasks' };
    case 'forbidden':
      return { kind: 'refused', message: `jobs.batch ${JSON.stringify(name)} is forbidden: ${created.why}` };
    case 'noNamespace':
      return { kind: 'refused', message: `namespaces ${JSON.stringify(namespace)} not found` };
    case 'terminating':
      return { kind: 'refused', message: `namespace ${namespace} is being deleted` };
  }
}

/** Its deletion takes its Jobs along, and may have listed them before this one was there. */
async function isThere({ row }: SeenCron, { objects }: Deps): Promise<boolean> {
  const object = await objects.read('CronJob', row.key);
  return object?.document.metadata.uid === row.uid && object.document.metadata['deletionTimestamp'] === undefined;
}

/** Deletes a Job again that was created for an owner which is gone. */
export async function takenBack({ uid }: Pick<CronClaim, 'uid'>, deps: Deps): Promise<'gone'> {
  const status = await deps.jobs.readStatus(uid);
  if (status !== null && !isHidden(status.phase)) await deleteJob(uid, deps);
  return 'gone';
}
