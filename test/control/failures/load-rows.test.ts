import { expect, test } from 'vitest';
import { loadRows } from '../../../shared/control/failures/load-rows.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { chunkLength } from '../../../shared/domain/scoreboard/status.ts';
import { Stage } from '../../support/a-stage.ts';

/** A Job whose tasks run, and what reads it. Pauses take no time. */
async function aRunningJob() {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  await stage.settle();
  const { deps } = stage.handler();
  const commit = async (): Promise<void> => {
    const status = await stage.status(uid);
    await stage.store.jobs.commitPass(uid, { ...status, version: status.version + 1 }, []);
  };
  const load = async (jobs: Partial<Deps['jobs']> = {}) =>
    loadRows(uid, () => [0], {
      jobs: { ...deps.jobs, ...jobs },
      clock: { ...deps.clock, sleep: async () => undefined },
    });
  return { stage, uid, deps, commit, load };
}

test('a Job comes with the chunks that are wanted, and one that does not exist is null', async () => {
  const { deps, load } = await aRunningJob();
  const loaded = await load();
  expect([loaded?.torn, loaded?.board.record(1)?.attempt]).toEqual([null, 1]);
  expect(await loadRows(asJobUid('nobody'), () => [0], deps)).toBeNull();
});

test('rows that contradict each other while nobody writes are torn', async () => {
  const { stage, uid, load } = await aRunningJob();
  const status = await stage.status(uid);
  const { version = 0 } = status.chunks[0] ?? {};
  const row = { no: 0, expectedVersion: version, chunk: emptyChunk(), length: chunkLength(status.size, 0) };
  await stage.store.jobs.commitPass(uid, { ...status, version: status.version + 1 }, [row]);
  expect((await load())?.torn).toContain(`chunk 0 is at version ${version + 1}, STATUS says ${version}`);
});

test('rows that are written during each of four reads are not', async () => {
  const { commit, load } = await aRunningJob();
  let reads = 0;
  const loaded = await load({
    async readChunks() {
      reads++;
      await commit();
      return new Map([[0, { version: 99, chunk: emptyChunk() }]]);
    },
  });
  expect([loaded?.torn, reads]).toEqual([null, 4]);
});
