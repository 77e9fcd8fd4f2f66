import { createHash } from 'node:crypto';
import { asEpochMs, type EpochMs } from '../../../domain/base/time.ts';
import { cronRulesOf } from '../domain/cron-rules.ts';
import { slotJitterMs } from '../domain/job-of-slot.ts';
import { type Slots, slotsOf } from '../domain/slots.ts';
import type { CronJobManifest } from '../domain/cron-manifest.ts';
import { admitCronJob } from '../schema/cron-admission.ts';
import type { CronJob } from './api-objects-of-schedules.ts';
import { Failure } from '../../../../cli/shell/failure.ts';
import { admittedFrom } from '../../../../cli/client/admitted-file.ts';

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

/** Judges a CronJob of a file as the API would; see {@link admittedFrom}. */
export const admitted = (found: unknown, file: string): CronJobManifest => admittedFrom(found, file, admitCronJob);

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
