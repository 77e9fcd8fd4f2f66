import { createHash } from 'node:crypto';
import { asEpochMs, type EpochMs } from '../../shared/domain/base/time.ts';
import { cronRulesOf } from '../../shared/domain/cron/cron-rules.ts';
import { slotJitterMs } from '../../shared/domain/cron/job-of-slot.ts';
import { type Slots, slotsOf } from '../../shared/domain/cron/slots.ts';
import type { CronJobManifest } from '../../shared/domain/spec/cron-manifest.ts';
import { at } from '../../shared/kube/list/stored-field.ts';
import { admitCronJob } from '../../shared/schema/cron/cron-admission.ts';
import { fieldErrorText } from '../../shared/schema/object/field-error.ts';
import type { CronJob } from '../client/api-objects.ts';
import { EXIT, Failure } from '../failure.ts';
import { readManifest } from '../manifest-file.ts';
import { onOneLine } from '../render/table.ts';
import type { Shell } from '../shell.ts';

/** What says when a CronJob fires. */
export type TimedCron = {
  readonly name: string;
  readonly namespace: string;
  readonly schedule: string;
  readonly timeZone: string | undefined;
  readonly isSuspended: boolean;
  readonly jitterSec: number;
  /** What only a server knows. */
  readonly stored: {
    readonly uid: string;
    /** The last slot, or else its creation. */
    readonly since: EpochMs;
  } | null;
};

/** A CronJob of a server. */
export const timedCronOf = ({ metadata, spec, status }: CronJob): TimedCron => ({
  name: metadata.name,
  namespace: metadata.namespace,
  schedule: spec.schedule,
  timeZone: spec.timeZone,
  isSuspended: spec.suspend,
  jitterSec: cronRulesOf(metadata.annotations).jitterSec,
  stored: { uid: metadata.uid, since: asEpochMs(status.lastScheduleTime ?? metadata.creationTimestamp) },
});

/** A CronJob of a file. */
export const timedCronOfManifest = ({ metadata, spec }: CronJobManifest): TimedCron => ({
  name: metadata.name,
  namespace: metadata.namespace,
  schedule: spec.schedule,
  timeZone: spec.timeZone,
  isSuspended: spec.suspend,
  jitterSec: cronRulesOf(metadata.annotations).jitterSec,
  stored: null,
});

/**
 * Reads the only CronJob of a file, and judges it as the API would.
 *
 * @throws Failure with all that is wrong
 */
export async function readCronFile(file: string, shell: Shell): Promise<CronJobManifest> {
  return admitted(await readManifest(file, shell), file);
}

/** Judges a CronJob of a file as the API would; what `kubectl get -o yaml` prints is good, too. */
export function admitted(found: unknown, file: string): CronJobManifest {
  const document = structuredClone(found);
  const metadata = at(document, 'metadata');
  if (typeof metadata === 'object' && metadata !== null) Reflect.deleteProperty(metadata, 'resourceVersion');
  const named = at(document, 'metadata', 'namespace');
  const namespace = typeof named === 'string' && named !== '' ? named : 'default';
  const admission = admitCronJob(document, { namespace, uid: '', nameSuffix: 'a1b2c', fieldValidation: 'Strict' });
  const name = file === '-' ? 'standard input' : file;
  switch (admission.kind) {
    case 'ok':
      return admission.manifest;
    case 'undecodable':
      throw new Failure(`error: ${name} is refused: ${onOneLine(admission.message)}`, EXIT.usage);
    case 'invalid': {
      const lines = admission.errors.map((each) => onOneLine(`${each.path}: ${fieldErrorText(each)}`));
      const head = `error: ${name} is refused:`;
      const text = lines.length === 1 ? `${head} ${lines[0]}` : [head, ...lines.map((l) => `* ${l}`)].join('\n');
      throw new Failure(text, EXIT.usage);
    }
  }
}

/** @throws Failure when the scheduler cannot read the schedule, either */
export function knownSlots({ name, schedule, timeZone }: TimedCron): Extract<Slots, { readonly kind: 'slots' }> {
  const slots = slotsOf({ schedule, timeZone });
  if (slots.kind === 'none') throw new Failure(`error: cronjob.batch/${name} never fires: ${slots.reason}`);
  return slots;
}

/** When a slot's Job is created; null: not known, because the jitter depends on what a server says. */
export function createdAt({ jitterSec, stored }: TimedCron, slot: EpochMs): EpochMs | null {
  if (jitterSec === 0) return slot;
  return stored === null ? null : asEpochMs(slot + slotJitterMs(jitterSec, stored.uid, slot, sha256));
}

/** The same as the runtime's: a slot's jitter is computed alike. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
