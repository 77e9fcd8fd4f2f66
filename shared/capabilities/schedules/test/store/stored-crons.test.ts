import { describe, expect } from 'vitest';
import {
  aClient,
  endpoint,
  makeDynamoStore,
  stopEngineAfterwards,
} from '../../../../../test/contract/dynamo-fixture.ts';
import { describeStore } from '../../../../../test/contract/describe-store.ts';
import { aLmdbStore } from '../../../../../test/contract/lmdb-fixture.ts';
import { HandClock, RETENTION_MS, type StoreCase, T0, at } from '../../../../../test/contract/store-under-test.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { withCronEvent } from '../../../../domain/schedulers/scheduler-event.ts';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import type { CronJobRow } from '../../control/cron-job-row.ts';
import { FRESH_CRON } from '../../domain/cron-state.ts';

/** What every store keeps of CronJobs. */
const CRON_JOB_CASES: readonly StoreCase[] = [
  {
    name: 'a row of a CronJob comes back as it was written, one version later',
    async run({ crons }) {
      expect(await crons.read('cron-1')).toBeNull();
      const uid = asJobUid('job-1');
      const state = {
        ...withCronEvent(FRESH_CRON, { type: 'Normal', reason: 'SuccessfulCreate', message: 'Created job ä' }, T0),
        lastScheduleAt: T0,
        lastSuccessAt: at(1),
        passedAt: at(2),
        claim: { slot: T0, name: 'nightly-1', uid, at: T0, replaces: [uid] },
        retry: { slot: T0, at: at(3), tries: 2 },
        jobs: [{ uid, name: 'nightly-0', isListed: true, end: { kind: 'failed', startAt: null, at: T0 } }],
      } as const;
      const key = { namespace: 'default', name: 'nightly' };
      const row: CronJobRow = { kind: 'CronJob', uid: 'cron-1', key, version: 0, state, alarmAt: at(90_000) };
      expect(await crons.write(row)).toEqual({ kind: 'written' });
      expect(await crons.read('cron-1')).toEqual({ ...row, version: 1 });
    },
  },
];

stopEngineAfterwards();

describeStore(
  'CronJobs in memory',
  async () => {
    const clock = new HandClock();
    return { ...createMemoryStore({ now: clock.now, feedRetentionMs: RETENTION_MS }), clock };
  },
  CRON_JOB_CASES,
);
describeStore('CronJobs in LMDB', async () => aLmdbStore(), CRON_JOB_CASES);
describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const client = aClient();
  describeStore('CronJobs in DynamoDB', async () => makeDynamoStore(client), CRON_JOB_CASES);
});
