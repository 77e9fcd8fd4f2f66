import { expect, test } from 'vitest';
import { createMemoryRows } from '../../shared/adapters/rows/memory.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { createStore } from '../../shared/store/create-store.ts';

const NOW = asEpochMs(1_800_000_000_000);

test('a write without a condition that a transaction is in the way of does not count as done', async () => {
  const weather = { conflicts: () => 0 };
  const store = createStore(createMemoryRows({ now: () => NOW, weather }), {
    now: () => NOW,
    newToken: () => 'token-01',
  });
  const job = asJobUid('one');
  const what = 'a transaction was in the way of row';
  await expect(store.items.reserve('list', job, NOW)).rejects.toThrow(`${what} ITEMS#list USED#one`);
  await expect(store.items.release('list', job)).rejects.toThrow(`${what} ITEMS#list USED#one`);
  await expect(store.crons.remove('cron')).rejects.toThrow(`${what} CRON#cron STATE`);
});
