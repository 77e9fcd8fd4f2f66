import { expect } from 'vitest';
import { STORED } from '../../shared/domain/kinds/api-kinds.ts';
import { freshNamespace, terminating } from '../../shared/domain/manifests/namespace.ts';
import {
  OBJECT_BYTES_MAX,
  type ObjectChange,
  type ObjectKey,
  type ObjectStore,
  type StoredDocument,
  type StoredKind,
} from '../../shared/ports/object-store.ts';
import { openNamespace } from '../support/a-namespace.ts';
import { RETENTION_MS, type StoreCase, T0, aNewJob, at } from './store-under-test.ts';

const key = (name: string, namespace = 'default'): ObjectKey => ({ namespace, name });
const doc = (mark: string, labels?: Readonly<Record<string, string>>): StoredDocument => ({
  apiVersion: 'batch/v1',
  kind: 'Service',
  metadata: { uid: `uid-${mark}`, annotations: { mark }, ...(labels === undefined ? {} : { labels }) },
  spec: { schedule: '* * * * *', list: [1, 'two', null, { three: 3 }], suspend: false },
});

const put = async (objects: ObjectStore, which: ObjectKey, was: number, document: StoredDocument | null) =>
  objects.commit('Service', { key: which, was, document });

/** As objects of a capability may have, in the order of their bytes in UTF-8, which UTF-16 has otherwise for the last two. */
const ODD_NAMES = ['!', '#x', 'a', 'a b', 'a!', 'a!b', 'a"b', 'ab', 'system:x', '~', '~a', 'é', '\uff5e', '😀'];

/** Kinds that are in no namespace; a Namespace is more than an object. */
const OF_CLUSTER = STORED.filter(({ name, isNamespaced }) => !isNamespaced && name !== 'Namespace');

/** Every readable change of a kind, in pages of `limit`. */
async function readChanges(objects: ObjectStore, kind: StoredKind, limit = 7): Promise<readonly ObjectChange[]> {
  const found: ObjectChange[] = [];
  for (;;) {
    const page = await objects.changes(kind, found.length, limit);
    if (page.kind === 'expired' || page.rows.length === 0) return found;
    found.push(...page.rows);
  }
}

/** Objects stored as documents, and their feeds, one caller at a time. */
export const OBJECT_CASES: readonly StoreCase[] = [
  {
    name: 'a kind without objects has no rows, and nothing has expired',
    async run({ objects }) {
      expect(await objects.read('Service', key('a'))).toBeNull();
      expect(await objects.list('Service', { namespace: null, after: null, limit: 5 })).toEqual({
        objects: [],
        next: null,
      });
      expect(await objects.head('Service')).toBe(0);
      expect(await objects.changes('Service', 0, 5)).toEqual({ kind: 'rows', rows: [] });
      expect(await objects.changes('Service', 9, 5)).toEqual({ kind: 'rows', rows: [] });
      expect(await put(objects, key('a'), 0, null)).toEqual({ kind: 'lost' });
    },
  },
  {
    name: 'an object is read as it was written, with the number of its change, and each change is published once',
    async run({ objects }) {
      await openNamespace(objects);
      expect(await put(objects, key('a'), 0, doc('a1'))).toEqual({ kind: 'committed', version: 1 });
      expect(await put(objects, key('b'), 0, doc('b1'))).toEqual({ kind: 'committed', version: 2 });
      expect(await put(objects, key('a'), 1, doc('a2'))).toEqual({ kind: 'committed', version: 3 });
      expect(await put(objects, key('b'), 2, null)).toEqual({ kind: 'committed', version: 4 });
      expect(await objects.read('Service', key('a'))).toEqual({ key: key('a'), version: 3, document: doc('a2') });
      expect(await objects.read('Service', key('b'))).toBeNull();
      expect(await objects.read('Service', key('a', 'other'))).toBeNull();
      expect(await objects.head('Service')).toBe(4);
      const rows = [
        { type: 'ADDED', object: { key: key('a'), version: 1, document: doc('a1') } },
        { type: 'ADDED', object: { key: key('b'), version: 2, document: doc('b1') } },
        { type: 'MODIFIED', object: { key: key('a'), version: 3, document: doc('a2') } },
        { type: 'DELETED', object: { key: key('b'), version: 4, document: doc('b1') } },
      ];
      expect(await objects.changes('Service', 0, 10)).toEqual({ kind: 'rows', rows });
      expect(await objects.changes('Service', 1, 2)).toEqual({ kind: 'rows', rows: rows.slice(1, 3) });
      expect(await objects.changes('Service', 4, 2)).toEqual({ kind: 'rows', rows: [] });
    },
  },
  {
    name: 'an object that is in no namespace needs none',
    async run({ objects }) {
      for (const { name: kind } of OF_CLUSTER) {
        expect(await objects.commit(kind, { key: key('view', ''), was: 0, document: doc('v') })).toEqual({
          kind: 'committed',
          version: 1,
        });
        expect(await objects.read(kind, key('view', ''))).toMatchObject({ key: key('view', ''), version: 1 });
      }
      for (const kind of ['Service', 'ServiceAccount'] as const)
        expect(await objects.commit(kind, { key: key('view', 'nowhere'), was: 0, document: doc('v') })).toEqual({
          kind: 'noNamespace',
        });
    },
  },
  {
    name: 'names of nearly any characters are listed in the order of their bytes, page by page',
    async run({ objects }) {
      const namespaces = ['a', 'a-b', 'b'];
      for (const namespace of namespaces) await openNamespace(objects, namespace);
      const expected = namespaces.flatMap((namespace) => ODD_NAMES.map((name) => key(name, namespace)));
      for (const [nth, at] of expected.toReversed().entries())
        await objects.commit('ServiceAccount', { key: at, was: 0, document: doc(String(nth)) });
      for (const namespace of [null, ...namespaces]) {
        const listed: ObjectKey[] = [];
        for (let after: string | null = null; ; ) {
          const page: Awaited<ReturnType<ObjectStore['list']>> = await objects.list('ServiceAccount', {
            namespace,
            after,
            limit: 1,
          });
          listed.push(...page.objects.map((each) => each.key));
          after = page.next;
          if (after === null) break;
        }
        expect(listed).toEqual(expected.filter((at) => (namespace ?? at.namespace) === at.namespace));
      }
      expect(await objects.read('ServiceAccount', key('a!b', 'a'))).not.toBeNull();
    },
  },
  {
    name: 'each kind has its own numbers',
    async run({ objects }) {
      await openNamespace(objects, 'one');
      await openNamespace(objects, 'two');
      expect(await put(objects, key('a', 'two'), 0, doc('a'))).toEqual({ kind: 'committed', version: 1 });
      expect([await objects.head('Namespace'), await objects.head('Service')]).toEqual([2, 1]);
    },
  },
  {
    name: 'a write that read another version is lost, and nothing of it is written or published',
    async run({ objects }) {
      await openNamespace(objects);
      await put(objects, key('a'), 0, doc('a1'));
      expect(await put(objects, key('a'), 0, doc('again'))).toEqual({ kind: 'lost' });
      expect(await put(objects, key('a'), 2, doc('early'))).toEqual({ kind: 'lost' });
      expect(await put(objects, key('a'), 2, null)).toEqual({ kind: 'lost' });
      expect(await put(objects, key('b'), 1, doc('nobody'))).toEqual({ kind: 'lost' });
      expect(await objects.read('Service', key('a'))).toEqual({ key: key('a'), version: 1, document: doc('a1') });
      expect(await objects.head('Service')).toBe(1);
    },
  },
  {
    name: 'an object that is created again has a new version, so a write with the old version is lost',
    async run({ objects }) {
      await openNamespace(objects);
      await put(objects, key('a'), 0, doc('old'));
      await put(objects, key('a'), 1, null);
      expect(await put(objects, key('a'), 0, doc('new'))).toEqual({ kind: 'committed', version: 3 });
      expect(await put(objects, key('a'), 1, doc('late'))).toEqual({ kind: 'lost' });
      expect((await readChanges(objects, 'Service')).map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ADDED']);
    },
  },
  {
    name: 'only a change of labels includes the previous labels',
    async run({ objects }) {
      await openNamespace(objects);
      await put(objects, key('a'), 0, doc('1', { app: 'x', tier: 'y' }));
      await put(objects, key('a'), 1, doc('2', { tier: 'y', app: 'x' }));
      await put(objects, key('a'), 2, doc('3', { app: 'z', tier: 'y' }));
      await put(objects, key('a'), 3, doc('4'));
      await put(objects, key('a'), 4, doc('5', { app: 'x' }));
      await put(objects, key('a'), 5, null);
      expect((await readChanges(objects, 'Service')).map(({ labelsBefore }) => labelsBefore)).toEqual([
        undefined,
        undefined,
        { app: 'x', tier: 'y' },
        { app: 'z', tier: 'y' },
        {},
        undefined,
      ]);
    },
  },
  {
    name: 'objects are listed by namespace and name, page by page, whatever their names',
    async run({ objects }) {
      const wishes = ['b/x', 'a/ab', 'a/a', 'a/a-b', 'a-b/z', 'a/b', 'a/a.b', 'a/a0', 'a0/q'];
      for (const namespace of ['a', 'b', 'a-b', 'a0']) await openNamespace(objects, namespace);
      for (const wish of wishes) {
        const [namespace = '', name = ''] = wish.split('/');
        await put(objects, key(name, namespace), 0, doc(wish));
      }
      const listed = async (namespace: string | null, limit: number): Promise<readonly string[]> => {
        const found: string[] = [];
        let after: string | null = null;
        do {
          const page = await objects.list('Service', { namespace, after, limit });
          expect(page.objects.length).toBeLessThanOrEqual(limit);
          found.push(...page.objects.map((each) => `${each.key.namespace}/${each.key.name}`));
          after = page.next;
        } while (after !== null);
        return found;
      };
      const all = ['a/a', 'a/a-b', 'a/a.b', 'a/a0', 'a/ab', 'a/b', 'a-b/z', 'a0/q', 'b/x'];
      for (const limit of [1, 2, 3, 9, 50]) expect(await listed(null, limit)).toEqual(all);
      for (const limit of [1, 6]) expect(await listed('a', limit)).toEqual(all.slice(0, 6));
      expect(await listed('a-b', 5)).toEqual(['a-b/z']);
      expect(await listed('c', 5)).toEqual([]);
      const names = await objects.list('Namespace', { namespace: null, after: null, limit: 9 });
      expect(names.objects.map((each) => each.key)).toEqual(
        ['a', 'a-b', 'a0', 'b'].map((name) => ({ namespace: '', name })),
      );
    },
  },
  {
    name: 'a page after an invalid position is empty or within its namespace, never an error',
    async run({ objects }) {
      for (const namespace of ['a', 'b']) await openNamespace(objects, namespace);
      for (const namespace of ['a', 'b']) await put(objects, key('x', namespace), 0, doc(namespace));
      for (const after of ['', '~~~', 'a', 'b!', 'zz!y', '!'.repeat(5_000), '\u{10ffff}\ufffd', 'x'.repeat(5_000)]) {
        const page = await objects.list('Service', { namespace: 'a', after, limit: 5 });
        expect(page.objects.every((each) => each.key.namespace === 'a')).toBe(true);
        await objects.list('Service', { namespace: null, after, limit: 5 });
      }
      expect(await objects.read('Service', key('x'.repeat(5_000)))).toBeNull();
      const long = { namespace: 'n'.repeat(5_000), after: null, limit: 5 };
      expect(await objects.list('Service', long)).toEqual({ objects: [], next: null });
    },
  },
  {
    name: 'nothing enters a missing or Terminating namespace; its objects can change and be deleted',
    async run({ objects }) {
      const home = { namespace: '', name: 'default' };
      expect(await put(objects, key('a'), 0, doc('a'))).toEqual({ kind: 'noNamespace' });
      await openNamespace(objects);
      await put(objects, key('a'), 0, doc('a'));
      const open = freshNamespace('default', 'u', T0);
      const marked = { key: home, was: 1, document: terminating(open, at(5_000)) };
      expect(await objects.commit('Namespace', marked)).toEqual({ kind: 'committed', version: 2 });
      expect(await put(objects, key('b'), 0, doc('b'))).toEqual({ kind: 'terminating' });
      expect(await put(objects, key('a'), 1, doc('a2'))).toEqual({ kind: 'committed', version: 2 });
      expect(await put(objects, key('a'), 2, null)).toEqual({ kind: 'committed', version: 3 });
      expect(await objects.commit('Namespace', { key: home, was: 2, document: null })).toMatchObject({ version: 3 });
      expect(await put(objects, key('a'), 0, doc('a'))).toEqual({ kind: 'noNamespace' });
      expect(await objects.head('Service')).toBe(3);
    },
  },
  {
    name: 'Jobs of all namespaces are listed while these are being deleted, too',
    async run({ objects, jobs }) {
      for (const namespace of ['a', 'b']) {
        await openNamespace(objects, namespace);
        const { spec, status } = aNewJob({ namespace, uid: `uid-${namespace}` });
        await jobs.createJob(spec, status);
      }
      const document = terminating(freshNamespace('a', 'u', T0), T0);
      await objects.commit('Namespace', { key: { namespace: '', name: 'a' }, was: 1, document });
      const listed = await jobs.listJobs({ namespace: null, after: null, limit: 5 });
      expect(listed.jobs.map(({ namespace }) => namespace)).toEqual(['a', 'b']);
    },
  },
  {
    name: 'a reader behind removed changes gets expired; a reader that has seen all does not; numbers continue',
    async run({ objects, clock }) {
      await openNamespace(objects);
      for (let n = 1; n <= 4; n++) {
        await put(objects, key(`c${n}`), 0, doc(String(n)));
        clock.advance(RETENTION_MS / 4);
      }
      // Change n expires at n - 1 quarters more: now the first one has.
      expect(await objects.changes('Service', 0, 10)).toEqual({ kind: 'expired' });
      const rest = await objects.changes('Service', 1, 10);
      expect(rest.kind === 'rows' && rest.rows.map(({ object }) => object.version)).toEqual([2, 3, 4]);
      clock.advance(RETENTION_MS);
      expect(await objects.changes('Service', 3, 10)).toEqual({ kind: 'expired' });
      expect(await objects.changes('Service', 4, 10)).toEqual({ kind: 'rows', rows: [] });
      expect((await objects.read('Service', key('c1')))?.version).toBe(1);
      expect(await put(objects, key('c1'), 1, null)).toEqual({ kind: 'committed', version: 5 });
      const late = await objects.changes('Service', 4, 10);
      expect(late.kind === 'rows' && late.rows.map(({ type }) => type)).toEqual(['DELETED']);
    },
  },
  {
    name: 'documents are copies: changing one that was given or received changes nothing stored',
    async run({ objects }) {
      await openNamespace(objects);
      const given: StoredDocument & { spec?: unknown } = { ...doc('a'), absent: undefined };
      await put(objects, key('a'), 0, given);
      given.spec = 'changed';
      const got = await objects.read('Service', key('a'));
      expect(got?.document).toStrictEqual(doc('a'));
      Object.assign(got!.document.metadata, { uid: 'changed' });
      Object.assign((await readChanges(objects, 'Service'))[0]!.object.document, { spec: 'changed' });
      expect((await objects.read('Service', key('a')))?.document).toStrictEqual(doc('a'));
      expect((await readChanges(objects, 'Service'))[0]?.object.document).toStrictEqual(doc('a'));
    },
  },
  {
    name: 'a large document is stored; one that is too large for a row is thrown, and nothing is stored',
    async run({ objects }) {
      await openNamespace(objects);
      // Random letters hardly deflate.
      let seed = 1;
      const noise = (chars: number): string =>
        Array.from({ length: chars }, () => {
          seed = (seed * 48_271) % 2_147_483_647;
          return String.fromCodePoint(33 + (seed % 90));
        }).join('');
      const large = { ...doc('large'), noise: noise(256 * 1024) };
      expect(await put(objects, key('large'), 0, large)).toMatchObject({ kind: 'committed' });
      expect((await objects.read('Service', key('large')))?.document).toEqual(JSON.parse(JSON.stringify(large)));
      const huge = { ...doc('huge'), noise: noise(2 * OBJECT_BYTES_MAX) };
      await expect(put(objects, key('huge'), 0, huge)).rejects.toThrow('does not fit into a row');
      expect(await objects.read('Service', key('huge'))).toBeNull();
      expect(await objects.head('Service')).toBe(1);
    },
  },
];

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];

/** Several writers of one kind at once. */
export const OBJECT_RACES: readonly StoreCase[] = [
  {
    name: 'eight writers of one kind: nothing is lost, and each number is published once, in order',
    async run({ objects }) {
      const rounds = 6;
      await openNamespace(objects);
      const written = await Promise.all(
        EIGHT.map(async (who) => {
          const mine: { readonly version: number; readonly mark: string }[] = [];
          let was = 0;
          for (let round = 0; round < rounds; round++) {
            const commit = await put(objects, key(`c${who}`), was, doc(`${who}.${round}`));
            if (commit.kind !== 'committed') throw new Error(commit.kind);
            was = commit.version;
            mine.push({ version: was, mark: `${who}.${round}` });
          }
          return mine;
        }),
      );
      const told = await readChanges(objects, 'Service');
      expect(told.map(({ object }) => object.version)).toEqual(
        Array.from({ length: EIGHT.length * rounds }, (_, nth) => nth + 1),
      );
      expect(told.map(({ object }) => [object.version, object.document.metadata.uid])).toEqual(
        written
          .flat()
          .sort((a, b) => a.version - b.version)
          .map(({ version, mark }) => [version, `uid-${mark}`]),
      );
      expect(await objects.head('Service')).toBe(EIGHT.length * rounds);
    },
  },
  {
    name: 'eight writers of one object at one version: one wins, the others lose, and one change is published',
    async run({ objects }) {
      await openNamespace(objects);
      let was = 0;
      for (let round = 0; round < 6; round++) {
        const last = round === 5;
        const commits = await Promise.all(
          EIGHT.map(async (who) => put(objects, key('a'), was, last ? null : doc(`${round}.${who}`))),
        );
        const winners = EIGHT.filter((who) => commits[who]?.kind === 'committed');
        expect(winners).toHaveLength(1);
        expect(commits.filter(({ kind }) => kind === 'lost')).toHaveLength(7);
        was = round + 1;
        const read = await objects.read('Service', key('a'));
        expect(read?.document.metadata.uid).toBe(last ? undefined : `uid-${round}.${winners[0]}`);
      }
      expect(await objects.head('Service')).toBe(6);
    },
  },
  {
    name: 'a namespace is marked while eight write into it: what was stored is published before, and nothing after',
    async run({ objects }) {
      for (let round = 0; round < 6; round++) {
        const name = `ns-${round}`;
        const home = { namespace: '', name };
        await openNamespace(objects, name);
        const was = (await objects.read('Namespace', home))?.version ?? 0;
        const document = terminating(freshNamespace(name, 'u', T0), T0);
        const listAfterMark = async (): Promise<readonly string[]> => {
          expect(await objects.commit('Namespace', { key: home, was, document })).toMatchObject({ kind: 'committed' });
          const page = await objects.list('Service', { namespace: name, after: null, limit: 20 });
          return page.objects.map((each) => each.key.name);
        };
        const [seen, ...commits] = await Promise.all([
          listAfterMark(),
          ...EIGHT.map(async (who) => put(objects, key(`c${who}`, name), 0, doc(`${who}`))),
        ]);
        const stored = EIGHT.filter((who) => commits[who]?.kind === 'committed').map((who) => `c${who}`);
        expect(seen).toEqual(stored);
        expect(commits.filter(({ kind }) => kind === 'terminating')).toHaveLength(8 - stored.length);
      }
    },
  },
];
