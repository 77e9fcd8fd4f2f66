import type { EpochMs } from '../../../domain/base/time.ts';
import { FURIKO_API_VERSION } from './furiko-job.ts';
import { SCHEDULE_TIME } from './furiko-labels.ts';

/** The name of the Job of a slot: the JobConfig's, and the second since 1970. No slot gets a second Job. */
export const scheduledJobName = (config: string, slot: EpochMs): string => `${config}-${Math.floor(slot / 1_000)}`;

/** The Job of a slot of a JobConfig, as a client would send it. */
export const scheduledJobDocument = (
  { metadata }: { readonly metadata: { readonly name: string; readonly namespace: string } },
  slot: EpochMs,
) => ({
  apiVersion: FURIKO_API_VERSION,
  kind: 'Job',
  metadata: {
    name: scheduledJobName(metadata.name, slot),
    namespace: metadata.namespace,
    annotations: { [SCHEDULE_TIME]: String(Math.floor(slot / 1_000)) },
  },
  spec: { configName: metadata.name, type: 'Scheduled' },
});
