import { expect, test } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { sweepCopies } from '../../control/index.ts';
import type { KeptPull } from '../../ports/secret-copies.ts';
import { aSealedStore, aSecret } from '../store/a-store.ts';

const HOUR_MS = 60 * 60_000;
const NOW = 1_700_000_000_000;

/** A store with the Secret `db` at version 1, and what one sweep does with these copies. */
async function swept(secrets: readonly string[], pulls: readonly Partial<KeptPull>[]): Promise<readonly string[]> {
  const { open, stored } = await aSealedStore();
  await open.commit('Secret', { key: { namespace: 'default', name: 'db' }, was: 0, document: aSecret('one') });
  const done: string[] = [];
  const note = (what: string) => async () => Promise.resolve(void done.push(what));
  const pull = (given: Partial<KeptPull>): KeptPull => ({
    namespace: 'default',
    name: 'db',
    version: '0001-1',
    registry: 'r',
    retiredAtMs: null,
    ...given,
  });
  const deps = {
    objects: stored,
    clock: { now: () => asEpochMs(NOW) },
    ports: {
      secretCopies: {
        list: async () =>
          Promise.resolve({
            secrets: secrets.map((name) => ({ namespace: 'default', name })),
            pulls: pulls.map(pull),
            next: null,
          }),
        remove: async ({ name }: { name: string }) => note(`remove ${name}`)(),
        removePull: async ({ name, version }: KeptPull) => note(`remove ${name} ${version}`)(),
        retirePull: async ({ name, version }: KeptPull, atMs: number) => note(`retire ${name} ${version} ${atMs}`)(),
      },
    },
  } as unknown as Deps;
  await sweepCopies(deps);
  return done;
}

test('copies go with their Secret', async () => {
  expect(await swept(['db', 'gone'], [{ name: 'gone' }])).toEqual(['remove gone', 'remove gone 0001-1']);
});

test.each<[what: string, pull: Partial<KeptPull>, done: readonly string[]]>([
  ['of the version that is', {}, []],
  ['of an earlier version: noted first', { version: '0001-0' }, [`retire db 0001-0 ${NOW}`]],
  ['of an object that had the name before', { version: '0000-1' }, [`retire db 0000-1 ${NOW}`]],
  ['noted an hour ago', { version: '0001-0', retiredAtMs: NOW - HOUR_MS }, []],
  ['noted two hours ago', { version: '0001-0', retiredAtMs: NOW - 2 * HOUR_MS }, ['remove db 0001-0']],
  ['noted, and valid again', { retiredAtMs: NOW - 2 * HOUR_MS }, []],
])('credentials of a registry stay while a task may pull with them: %s', async (_, pull, done) => {
  expect(await swept([], [pull])).toEqual(done);
});
