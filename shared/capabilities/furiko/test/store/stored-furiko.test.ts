import { describe, expect } from 'vitest';
import {
  aClient,
  endpoint,
  makeDynamoStore,
  stopEngineAfterwards,
} from '../../../../../test/contract/dynamo-fixture.ts';
import { describeStore } from '../../../../../test/contract/describe-store.ts';
import { aLmdbStore } from '../../../../../test/contract/lmdb-fixture.ts';
import {
  HandClock,
  RETENTION_MS,
  type StoreCase,
  T0,
  aNewJob,
  at,
} from '../../../../../test/contract/store-under-test.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { withCronEvent } from '../../../../domain/schedulers/scheduler-event.ts';
import type { CronRow } from '../../../../ports/cron-store.ts';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { FRESH_CONFIG } from '../../domain/config-state.ts';
import type { FurikoPart } from '../../domain/furiko-job.ts';

/** What every store keeps of JobConfigs and Jobs. */
const FURIKO_CASES: readonly StoreCase[] = [
  {
    name: 'a row of a JobConfig comes back with the places of its Jobs, in their order',
    async run({ crons }) {
      const place = {
        policy: 'Enqueue',
        slot: null,
        startAfter: null,
        at: T0,
        isStored: true,
        startTime: null,
      } as const;
      const state = {
        ...withCronEvent(FRESH_CONFIG, { type: 'Warning', reason: 'SkippedSchedule', message: 'Skipped' }, T0),
        lastScheduledAt: T0,
        lastExecutedAt: at(1),
        passedAt: at(2),
        places: [
          { ...place, uid: asJobUid('job-2'), name: 'b', stage: 'active', startTime: at(3) },
          {
            ...place,
            uid: asJobUid('job-1'),
            name: 'a',
            stage: 'queued',
            slot: T0,
            startAfter: at(4),
            isStored: false,
          },
        ],
      } as const;
      const row: CronRow<'JobConfig'> = {
        kind: 'JobConfig',
        uid: 'config-1',
        key: { namespace: 'default', name: 'nightly' },
        version: 0,
        state,
        alarmAt: at(5),
      };
      expect(await crons.write(row)).toEqual({ kind: 'written' });
      expect(await crons.read('config-1')).toEqual({ ...row, version: 1 });
      const due = await crons.due({ until: at(6), after: null, limit: 100 });
      expect(due.crons).toEqual([{ uid: 'config-1', alarmAt: at(5) }]);
    },
  },
  {
    name: 'a Job keeps what users of another kind see of it, until they change that',
    async run(store) {
      const { spec, status, uid } = aNewJob();
      const furiko: FurikoPart = {
        metadata: { labels: { app: 'x' } },
        spec: {
          type: 'Adhoc',
          template: { taskTemplate: { pod: { spec: { containers: [] } } }, maxAttempts: 2 },
          ttlSecondsAfterFinished: 60,
        },
        config: { name: 'nightly', uid: 'c' },
      };
      await openNamespace(store.objects);
      await store.jobs.createJob({ ...spec, furiko }, status);
      expect(await store.jobs.readSpec(uid)).toEqual({ ...spec, furiko });
      const changed = { ...spec, revision: 2, furiko: { ...furiko, admissionError: 'no' } };
      await store.jobs.commitSpec(changed, { ...status, version: status.version + 1, revision: 2 });
      expect(await store.jobs.readSpec(uid)).toEqual(changed);
    },
  },
];

stopEngineAfterwards();

describeStore(
  'Furiko in memory',
  async () => {
    const clock = new HandClock();
    return { ...createMemoryStore({ now: clock.now, feedRetentionMs: RETENTION_MS }), clock };
  },
  FURIKO_CASES,
);
describeStore('Furiko in LMDB', async () => aLmdbStore(), FURIKO_CASES);
describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const client = aClient();
  describeStore('Furiko in DynamoDB', async () => makeDynamoStore(client), FURIKO_CASES);
});
