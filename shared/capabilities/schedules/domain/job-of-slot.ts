import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import { timeInZone } from '../../../domain/schedulers/wall-time.ts';
import { zoneOffsetMs } from '../../../domain/base/time-zone.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';

/** Kubernetes' annotation on a Job: the slot that it was created for, in the CronJob's zone. */
export const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** On a Job: the CronJob of which it is a slot's, created later by a user. */
export const BACKFILL_LABEL = 'muster.run/backfill-of';

/** Kubernetes' name of a slot's Job: the CronJob's, and the minute since 1970. */
export const slotName = (cron: string, slot: EpochMs): string => `${cron}-${Math.floor(slot / 60_000)}`;

/** What a slot's Job takes from its CronJob; the template's spec stays as it is. */
export type SlotTemplate<Spec> = {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly timeZone?: string | undefined;
    readonly jobTemplate: {
      readonly metadata: { readonly labels?: Labels | undefined; readonly annotations?: Labels | undefined };
      readonly spec: Spec;
    };
  };
};

/** A slot's Job as a client would send it (kubernetes-job.md 8.3, point 8). */
export const jobOfSlot = <Spec>(cron: SlotTemplate<Spec>, uid: string, slot: EpochMs) =>
  slotJob(cron, slot, {}, { ...ownerOf(cron, uid), controller: true, blockOwnerDeletion: true });

/**
 * The same Job, made by a user for a slot of the past. The CronJob owns it, so it goes when the CronJob does, but does not control
 * it: its schedule neither waits for it, nor counts it for its history limits, nor reports it as unexpected.
 */
export const backfillJob = <Spec>(cron: SlotTemplate<Spec>, uid: string, slot: EpochMs) =>
  slotJob(cron, slot, { [BACKFILL_LABEL]: cron.metadata.name }, ownerOf(cron, uid));

const ownerOf = ({ metadata }: SlotTemplate<unknown>, uid: string) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  name: metadata.name,
  uid,
});

function slotJob<Spec, Owner>({ metadata, spec }: SlotTemplate<Spec>, slot: EpochMs, more: Labels, owner: Owner) {
  const { metadata: ofTemplate, spec: template } = spec.jobTemplate;
  const labels = { ...ofTemplate.labels, ...more };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: slotName(metadata.name, slot),
      namespace: metadata.namespace,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      annotations: { ...ofTemplate.annotations, [SCHEDULED_AT]: timeInZone(spec.timeZone ?? 'UTC', slot) },
      ownerReferences: [owner],
    },
    spec: template,
  };
}

/** How much later a slot's Job is created: some moment within the jitter, always the same for one slot of a CronJob. */
export function slotJitterMs(
  jitterSec: number,
  cronUid: string,
  slot: EpochMs,
  hash: (text: string) => string,
): number {
  if (jitterSec === 0) return 0;
  return Number.parseInt(hash(`${cronUid}/${slot}/jitter`).slice(0, 8), 16) % (jitterSec * 1000);
}

/** The first moment of a day by a zone's clock; null: the text is no day such as 2026-03-01. */
export function startOfDay(zone: string, day: string): EpochMs | null {
  const wall = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(day)) return null;
  const near = wall - zoneOffsetMs(zone, wall);
  return asEpochMs(wall - zoneOffsetMs(zone, near));
}
