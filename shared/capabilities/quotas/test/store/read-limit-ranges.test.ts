import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { asEpochMs, plusMs } from '../../../../domain/base/time.ts';
import { createLimitRangeReader } from '../../store/read-limit-ranges.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const LIMITS = [{ type: 'Container', max: { cpu: '2' } }];

test('LimitRanges are read once in two seconds, however many Jobs come, and each namespace has its own', async () => {
  let now = asEpochMs(1_700_000_000_000);
  const objects = createMemoryStore({ now: () => now }).objects;
  const calls: string[] = [];
  const seen = {
    head: async (kind: 'LimitRange') => {
      calls.push('head');
      return objects.head(kind);
    },
    list: async (...wish: Parameters<typeof objects.list>) => {
      calls.push('list');
      return objects.list(...wish);
    },
  };
  const reader = createLimitRangeReader({ objects: seen as typeof objects, clock: { now: () => now } });
  expect(await reader.limitRanges('team')).toEqual([]);
  for (let i = 0; i < 100; i++) await reader.limitRanges('team');
  expect(calls.splice(0)).toEqual(['head', 'list']);
  for (const namespace of ['team', 'other']) {
    await openNamespace(objects, namespace);
    for (const name of ['b', 'a']) {
      const document = { metadata: { uid: name, name }, spec: { limits: name === 'a' ? LIMITS : [] } };
      await objects.commit('LimitRange', { key: { namespace, name }, was: 0, document });
    }
  }
  // What another process has written is seen after two seconds at most.
  expect(await reader.limitRanges('team')).toEqual([]);
  now = plusMs(now, 2_000);
  expect(await reader.limitRanges('team')).toEqual([
    { name: 'a', limits: LIMITS },
    { name: 'b', limits: [] },
  ]);
  expect(await reader.limitRanges('none')).toEqual([]);
  now = plusMs(now, 2_000);
  await reader.limitRanges('other');
  expect(calls).toEqual(['head', 'list', 'head']);
});

test('a change that this process makes during a look is seen by the next call', async () => {
  const objects = createMemoryStore({ now: () => asEpochMs(0) }).objects;
  const listeners: (() => void)[] = [];
  const unanswered: (() => void)[] = [];
  let isSlow = false;
  const seen = {
    list: objects.list.bind(objects),
    async head(kind: 'LimitRange') {
      const head = await objects.head(kind);
      if (isSlow) await new Promise<void>((answer) => unanswered.push(answer));
      return head;
    },
  };
  const notifications = { subscribe: (_: string, listener: () => void) => listeners.push(listener) };
  const ports = { objects: seen, clock: { now: () => asEpochMs(0) }, notifications };
  const reader = createLimitRangeReader(ports as never);
  const tell = (): void => listeners.forEach((listener) => listener());
  await openNamespace(objects, 'team');
  expect(await reader.limitRanges('team')).toEqual([]);

  isSlow = true;
  tell();
  const during = reader.limitRanges('team');
  await expect.poll(() => unanswered).toHaveLength(1);
  isSlow = false;
  const document = { metadata: { uid: 'a', name: 'a' }, spec: { limits: LIMITS } };
  await objects.commit('LimitRange', { key: { namespace: 'team', name: 'a' }, was: 0, document });
  tell();
  const next = reader.limitRanges('team');
  unanswered.forEach((answer) => answer());
  expect(await next).toEqual([{ name: 'a', limits: LIMITS }]);
  await during;
  expect(await reader.limitRanges('team')).toEqual([{ name: 'a', limits: LIMITS }]);
});
