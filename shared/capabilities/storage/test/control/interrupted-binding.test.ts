import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { createMemoryTasks } from '../../../../adapters/memory/memory-tasks.ts';
import { createMemoryQueues } from '../../../../../test/fakes/memory-queues.ts';
import { Handler } from '../../../../../test/support/a-handler.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { DONE } from '../../../../../test/support/a-stage.ts';
import { START } from '../../../../../test/kube/a-world.ts';
import { createStorageCommands, sweepStorage } from '../../control/index.ts';
import { claim, volume } from '../storage-documents.ts';

/** Some processes over one store. */
async function aStore() {
  const store = createMemoryStore({ now: () => START });
  await openNamespace(store.objects, 'default', START);
  const tasks = createMemoryTasks({
    now: () => START,
    at: () => undefined,
    fate: () => ({ startMs: 0, runMs: 0, stopMs: 0, ending: DONE }),
    refusal: () => null,
    emit: () => undefined,
  });
  const { queues } = createMemoryQueues({ now: () => START, visibilityMs: 30_000, receivesMax: 3 });
  const put = async (kind: 'PersistentVolume' | 'PersistentVolumeClaim', document: object & { metadata: object }) => {
    const { name } = document.metadata as { readonly name: string };
    const key = { namespace: kind === 'PersistentVolume' ? '' : 'default', name };
    const metadata = {
      ...document.metadata,
      uid: `uid-of-${name}`,
      ...(key.namespace && { namespace: key.namespace }),
    };
    const phase = kind === 'PersistentVolume' ? 'Available' : 'Pending';
    await store.objects.commit(kind, { key, was: 0, document: { ...document, metadata, status: { phase } } });
  };
  const read = async (kind: 'PersistentVolume' | 'PersistentVolumeClaim', name: string) =>
    (await store.objects.read(kind, { namespace: kind === 'PersistentVolume' ? '' : 'default', name }))?.document;
  return { put, read, process: () => new Handler({ ...store, tasks, queues }, () => START, 0) };
}

const KEY = { namespace: 'default', name: 'data' };

test('a process that dies between both writes leaves what the sweep completes', async () => {
  const { put, read, process } = await aStore();
  await put('PersistentVolume', volume('v'));
  await put('PersistentVolumeClaim', claim('data'));
  const dying = process();
  dying.arrange('objects.commit', async (perform) => {
    await perform();
    throw new Error('died');
  });
  await expect(createStorageCommands(dying.deps).claimChanged(KEY)).rejects.toThrow('died');
  expect(await read('PersistentVolume', 'v')).toMatchObject({ spec: { claimRef: { uid: 'uid-of-data' } } });
  expect(await read('PersistentVolumeClaim', 'data')).toMatchObject({ status: { phase: 'Pending' } });
  expect(await sweepStorage(process().deps)).toBe(1);
  expect(await read('PersistentVolumeClaim', 'data')).toMatchObject({
    spec: { volumeName: 'v' },
    status: { phase: 'Bound' },
  });
  expect(await sweepStorage(process().deps)).toBe(0);
});

test('of two claims of one volume exactly one gets it', async () => {
  const { put, read, process } = await aStore();
  await put('PersistentVolume', volume('v'));
  await put('PersistentVolumeClaim', claim('data'));
  await put('PersistentVolumeClaim', claim('other'));
  const slow = process();
  const held = slow.hold('before', 'objects.commit');
  const late = createStorageCommands(slow.deps).claimChanged(KEY);
  await held.reached;
  await createStorageCommands(process().deps).claimChanged({ ...KEY, name: 'other' });
  held.release();
  expect((await late)?.document).toMatchObject({ status: { phase: 'Pending' } });
  expect(await read('PersistentVolumeClaim', 'other')).toMatchObject({ status: { phase: 'Bound' } });
  expect(await read('PersistentVolume', 'v')).toMatchObject({ spec: { claimRef: { name: 'other' } } });
});

test('a claim that goes while it is bound leaves no volume behind', async () => {
  const { put, read, process } = await aStore();
  await put('PersistentVolume', volume('v', { persistentVolumeReclaimPolicy: 'Retain' }));
  await put('PersistentVolumeClaim', claim('data'));
  const slow = process();
  const held = slow.hold('behind', 'objects.commit');
  const binding = createStorageCommands(slow.deps).claimChanged(KEY);
  await held.reached;
  const { objects } = process().deps;
  const found = await objects.read('PersistentVolumeClaim', KEY);
  await objects.commit('PersistentVolumeClaim', { key: KEY, was: found?.version ?? 0, document: null });
  held.release();
  expect(await binding).toBeNull();
  expect(await read('PersistentVolume', 'v')).toMatchObject({ status: { phase: 'Released' } });
});
