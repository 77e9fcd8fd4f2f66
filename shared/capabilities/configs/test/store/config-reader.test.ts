import { expect, test } from 'vitest';
import { createConfigReader } from '../../store/read-configs.ts';
import { KEY, aSealedStore, aSecret } from './a-store.ts';

const texts = (data: ReadonlyMap<string, Uint8Array> | undefined) =>
  Object.fromEntries([...(data ?? [])].map(([key, value]) => [key, Buffer.from(value).toString('utf8')]));

test('a task gets the values of a Secret as bytes', async () => {
  const { stored, open, sealer } = await aSealedStore();
  await open.commit('Secret', { key: KEY, was: 0, document: aSecret('one') });
  const read = await createConfigReader({ objects: stored, ports: { sealer } }).read('Secret', KEY);
  expect(read).toMatchObject({ uid: '0001', version: 1 });
  expect(texts(read?.data)).toEqual({ password: 'one' });
});

test('those of a ConfigMap are texts and bytes', async () => {
  const { stored } = await aSealedStore();
  const document = {
    metadata: { uid: '0002' },
    data: { a: 'é' },
    binaryData: { b: Buffer.from([0, 255]).toString('base64') },
  };
  await stored.commit('ConfigMap', { key: KEY, was: 0, document });
  const reader = createConfigReader({ objects: stored, ports: {} });
  const { data } = (await reader.read('ConfigMap', KEY)) ?? {};
  expect([texts(data)['a'], [...(data?.get('b') ?? [])]]).toEqual(['é', [0, 255]]);
  expect(await reader.read('ConfigMap', { ...KEY, name: 'none' })).toBeNull();
  expect(await reader.read('Secret', KEY)).toBeNull();
});

test('kube-root-ca.crt is there, in every namespace that is', async () => {
  const { stored } = await aSealedStore();
  const reader = createConfigReader({ objects: stored, ports: {} });
  const read = await reader.read('ConfigMap', { namespace: 'default', name: 'kube-root-ca.crt' });
  expect([texts(read?.data), read?.version]).toEqual([{ 'ca.crt': '' }, 0]);
  expect(await reader.read('ConfigMap', { namespace: 'none', name: 'kube-root-ca.crt' })).toBeNull();
});

test('one that has nothing has no values; one that cannot be opened is an error', async () => {
  const { stored, open } = await aSealedStore();
  const { data: _none, ...empty } = aSecret('');
  await open.commit('Secret', { key: KEY, was: 0, document: empty });
  const read = createConfigReader({ objects: stored, ports: {} }).read('Secret', KEY);
  await expect(read).rejects.toThrow('Secret default/db');
});
