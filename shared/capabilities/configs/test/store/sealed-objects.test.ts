import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { UnreadableRow, unreadableRows } from '../../../../domain/base/unreadable-row.ts';
import type { ObjectStore } from '../../../../ports/object-store.ts';
import { Unavailable } from '../../../../ports/unavailable.ts';
import { createSealer } from '../../adapters/aes-sealer.ts';
import { sealedObjects } from '../../store/sealed-objects.ts';
import { aKey } from '../adapters/a-key.ts';
import { KEY, aSealedStore, aSecret } from './a-store.ts';

const PAGE = { namespace: null, after: null, limit: 10 };

async function changesOf(objects: ObjectStore) {
  const found = await objects.changes('Secret', 0, 10);
  if (found.kind === 'expired') throw new Error('expired');
  return found.rows;
}

test('users get what they wrote: read, in lists, and in the feed', async () => {
  const { open } = await aSealedStore();
  const document = aSecret('one', { labels: { app: 'db' } });
  expect(await open.commit('Secret', { key: KEY, was: 0, document })).toEqual({ kind: 'committed', version: 1 });
  const object = { key: KEY, version: 1, document };
  expect(await open.read('Secret', KEY)).toEqual(object);
  expect((await open.list('Secret', PAGE)).objects).toEqual([object]);
  expect(await changesOf(open)).toEqual([{ type: 'ADDED', object }]);
  expect(await open.read('Secret', { ...KEY, name: 'other' })).toBeNull();
});

test('the feed says which labels it had before, as of any other object', async () => {
  const { open } = await aSealedStore();
  await open.commit('Secret', { key: KEY, was: 0, document: aSecret('one', { labels: { app: 'db' } }) });
  await open.commit('Secret', { key: KEY, was: 1, document: aSecret('one', { labels: { app: 'web' } }) });
  await open.commit('Secret', { key: KEY, was: 2, document: aSecret('two', { labels: { app: 'web' } }) });
  await open.commit('Secret', { key: KEY, was: 3, document: null });
  const rows = await changesOf(open);
  expect(rows.map(({ type, labelsBefore }) => [type, labelsBefore])).toEqual([
    ['ADDED', undefined],
    ['MODIFIED', { app: 'db' }],
    ['MODIFIED', undefined],
    ['DELETED', undefined],
  ]);
  expect(rows[3]?.object.document).toEqual(aSecret('two', { labels: { app: 'web' } }));
});

test('a page of large ones ends early, and says where the next begins', async () => {
  const { stored } = await aSealedStore();
  const names = Array.from({ length: 160 }, (_, n) => `large-${String(n).padStart(3, '0')}`);
  for (const name of names) {
    const document = { metadata: { uid: name }, binaryData: { a: randomBytes(45_000).toString('base64') } };
    await stored.commit('ConfigMap', { key: { ...KEY, name }, was: 0, document });
  }
  const found: string[] = [];
  const sizes: number[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<ObjectStore['list']>> = await stored.list('ConfigMap', {
      ...PAGE,
      after,
      limit: 200,
    });
    found.push(...page.objects.map(({ key }) => key.name));
    sizes.push(page.objects.length);
    after = page.next;
  } while (after !== null);
  expect([found, sizes.length, Math.max(...sizes) < 160]).toEqual([names, 2, true]);
});

test('another kind is stored as it is', async () => {
  const { open, stored } = await aSealedStore();
  const key = { ...KEY, name: 'a' };
  const document = { metadata: { uid: '0002', name: 'a' }, data: { a: 'plain' } };
  await open.commit('ConfigMap', { key, was: 0, document });
  expect((await stored.read('ConfigMap', key))?.document).toEqual(document);
});

test('who was slower has lost, and nothing is written', async () => {
  const { open } = await aSealedStore();
  await open.commit('Secret', { key: KEY, was: 0, document: aSecret('one') });
  for (const was of [0, 2])
    expect(await open.commit('Secret', { key: KEY, was, document: aSecret('two') })).toEqual({ kind: 'lost' });
  expect(await open.read('Secret', KEY)).toMatchObject({ version: 1, document: aSecret('one') });
});

/**
 * The planted leak: `const stored = document` in `sealedObjects` (and without the kernel's own check in `object-commits.ts`) makes
 * the first of these red; sealing only `data` makes it red for the annotation, and `[SEALED_FIELD]` beside `labels` for the label.
 */
describe('nothing of it is in any row in clear', () => {
  test('of what it ever was', async () => {
    const { open, written } = await aSealedStore();
    const told = {
      labels: { 'canary-label': 'canary-label' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"password":"canary-one"}}' },
    };
    await open.commit('Secret', { key: KEY, was: 0, document: aSecret('canary-one', told) });
    await open.commit('Secret', {
      key: KEY,
      was: 1,
      document: aSecret('canary-two', { ...told, labels: { a: 'canary' } }),
    });
    await open.commit('Secret', { key: KEY, was: 2, document: null });
    const all = written.join('\n');
    expect(all).toContain('0001'); // it was seen
    for (const value of ['canary', ...['canary-one', 'canary-two'].map((text) => Buffer.from(text).toString('base64'))])
      expect(all).not.toContain(value);
  });

  test('no code can store one that is not sealed', async () => {
    const { stored, written } = await aSealedStore();
    const plain = stored.commit('Secret', { key: KEY, was: 0, document: aSecret('canary') });
    await expect(plain).rejects.toThrow('a Secret is stored sealed, or not at all');
    const half = { ...aSecret('canary'), sealed: 'AA==' };
    await expect(stored.commit('Secret', { key: KEY, was: 0, document: half })).rejects.toThrow('sealed');
    expect(written.join('\n')).not.toContain(aSecret('canary').data.password);
    expect(await stored.head('Secret')).toBe(0);
  });
});

describe('what cannot be opened is an error for all who ask, and is named', () => {
  test.each([
    [
      'another key',
      () => sealedWith(aKey().key),
      /^row Secret default\/db of the table cannot be decoded \(there is no key/,
    ],
    ['no sealer', () => ({}), /this process has no key for them/],
  ])('%s', async (_, portsOf, why) => {
    const { open, stored } = await aSealedStore();
    await open.commit('Secret', { key: KEY, was: 0, document: aSecret('canary') });
    const other = sealedObjects(stored, portsOf());
    const reads = [other.read('Secret', KEY), other.list('Secret', PAGE), other.changes('Secret', 0, 10)];
    for (const read of reads) {
      await expect(read).rejects.toThrow(why);
      await expect(read).rejects.not.toThrow(/canary/);
      expect(unreadableRows(await read.catch((error: unknown) => error))).toMatchObject([{ key: 'Secret default/db' }]);
    }
    // Its row can go all the same.
    expect(await other.commit('Secret', { key: KEY, was: 1, document: null })).toMatchObject({ kind: 'committed' });
  });

  test('nothing is stored without a sealer', async () => {
    const { stored } = await aSealedStore();
    const written = sealedObjects(stored, {}).commit('Secret', { key: KEY, was: 0, document: aSecret('canary') });
    await expect(written).rejects.toThrow(Unavailable);
    expect(await stored.head('Secret')).toBe(0);
  });

  test('a list names all of them', async () => {
    const { open, stored, sealer } = await aSealedStore();
    for (const name of ['a', 'b', 'c'])
      await open.commit('Secret', { key: { ...KEY, name }, was: 0, document: aSecret('x', { name, uid: name }) });
    const some = sealedObjects(stored, {
      sealer: {
        seal: async (plain, of) => sealer.seal(plain, of),
        open: async (sealed, of) => sealer.open(of.name === 'b' ? sealed : sealed.subarray(1), of),
      },
    });
    const failed: unknown = await some.list('Secret', PAGE).catch((error: unknown) => error);
    expect(unreadableRows(failed).map(({ key }) => key)).toEqual(['Secret default/a', 'Secret default/c']);
    expect(unreadableRows(failed).every((row) => row instanceof UnreadableRow)).toBe(true);
  });

  test('what was sealed is no object', async () => {
    const { stored, sealer, open } = await aSealedStore();
    const of = { kind: 'Secret', ...KEY, uid: '0001' };
    const sealed = Buffer.from(await sealer.seal(Buffer.from('{"canary"'), of)).toString('base64');
    await stored.commit('Secret', { key: KEY, was: 0, document: { metadata: { uid: '0001' }, sealed } });
    const read = open.read('Secret', KEY);
    await expect(read).rejects.toThrow('no object of this release');
    await expect(read).rejects.not.toThrow(/canary/);
  });
});

const sealedWith = (key: ReturnType<typeof aKey>['key']) => ({ sealer: createSealer(key) });
