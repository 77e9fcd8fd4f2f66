import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createOpenStreams } from '../../../shared/kube/http/streams.ts';
import { policyOf } from '../../../shared/capabilities/access/domain/policy.ts';
import { aGuardedWorld } from '../../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { START, manifest } from '../a-world.ts';

const JOBS = '/apis/batch/v1/namespaces/team-a/jobs';
const endless = async function* () {
  yield 'first';
  await new Promise(() => undefined);
};

type Reading = { readonly user: string; ended: boolean; readonly cancel: () => Promise<void> };

/** Streams of some users, whose clients read all the time. */
function shared(max: number) {
  const streams = createOpenStreams({ now: () => START }, max);
  const read: Reading[] = [];
  const open = (user: string): number => {
    const { status, body } = streams.send(user, 'text/plain', endless);
    if (status !== 200 || body === null) return status;
    const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
    const reading: Reading = {
      user,
      ended: false,
      cancel: async () => {
        reading.ended = true;
        await reader.cancel();
      },
    };
    read.push(reading);
    reader.closed.catch(() => {
      reading.ended = true;
    });
    return status;
  };
  const openOf = (user: string) => read.filter((each) => each.user === user && !each.ended);
  return { streams, open, openOf, read };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));
const times = (n: number, what: () => number) => Array.from({ length: n }, what);

describe('the places for watches and followed logs', () => {
  it('are all for a user who is alone', async () => {
    const { open, openOf } = shared(10);
    expect(times(12, () => open('lee'))).toEqual([...times(10, () => 200), 429, 429]);
    await settled();
    expect(openOf('lee')).toHaveLength(10);
  });

  it('are given to a user who has fewer, from the newest of the one who has most', async () => {
    const { open, openOf, read, streams } = shared(10);
    times(10, () => open('lee'));
    expect(open('kim')).toBe(200);
    await settled();
    expect(read.map(({ ended }) => ended)).toEqual([...times(9, () => 0), 1, 0].map(Boolean));
    expect(times(3, () => open('lee'))).toEqual([429, 429, 429]);
    times(20, () => open('kim'));
    await settled();
    expect([openOf('lee').length, openOf('kim').length, streams.open()]).toEqual([5, 5, 10]);
  });

  it('say who has how many, and how many there are', async () => {
    const { streams, open } = shared(3);
    times(3, () => open('lee'));
    open('kim');
    expect(await streams.send('lee', 'text/plain', endless).json()).toMatchObject({
      code: 429,
      message: 'you have 2 watches and followed logs open, and 3 may be open in all; end some, or try again later',
    });
  });

  it('are not passed to and fro', () => {
    const { open } = shared(3);
    times(3, () => open('lee'));
    expect(times(2, () => open('kim'))).toEqual([200, 429]);
  });

  it('are counted for answers that are sent as a whole, and one that gives way is no part of an answer', async () => {
    const { streams, open } = shared(2);
    const collect = () =>
      streams.collect('lee', 'text/plain', async function* (isCancelled) {
        yield 'part';
        while (!isCancelled()) await settled();
      });
    const [, newest] = [collect(), collect()];
    expect([open('lee'), open('kim')]).toEqual([429, 200]);
    expect((await newest).status).toBe(429);
    expect(streams.open()).toBe(2);
  });

  test('whatever is opened and closed, each of n users can have an nth of them', async () => {
    const USERS = ['ann', 'bob', 'cid'];
    const step = fc.record({ user: fc.constantFrom(...USERS), does: fc.constantFrom('open', 'open', 'open', 'end') });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 60 }), async (max, steps) => {
        const { streams, open, openOf } = shared(max);
        for (const { user, does } of steps) {
          const had = openOf(user).length;
          const isRoom = streams.open() < max || had < Math.floor(max / USERS.length);
          if (does === 'end') await openOf(user)[0]?.cancel();
          const isRefused = does === 'open' && open(user) !== 200;
          expect(isRefused && isRoom).toBe(false);
          await settled();
          expect(streams.open()).toBeLessThanOrEqual(max);
          expect(USERS.reduce((sum, each) => sum + openOf(each).length, 0)).toBe(streams.open());
        }
      }),
    );
  });
});

describe('a user who opens as many as there are', () => {
  const PODS = '/api/v1/namespaces/team-a/pods';
  it.each([`${JOBS}?watch=true`, `${PODS}/x-0-1/log?follow=true`])('leaves room for others: %s', async (path) => {
    const world = await aGuardedWorld(policyOf([], []), { openStreamsMax: 4 });
    await world.asMaster('POST', JOBS, manifest('x'));
    await world.launch('team-a/x', [{ index: 0, attempt: 1 }]);
    await world.commit('team-a/x', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
    ]);
    world.print(0, 1, 'main', 'one');
    const pods = (await (await world.asMaster('GET', PODS)).json()) as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    const url = path.replace('x-0-1', pods.items[0]?.metadata.name ?? 'none');
    const asked = async (as: string, groups = 'system:masters') =>
      (await world.send('GET', url, { as, groups })).status;
    for (const code of [200, 200, 200, 200, 429]) expect(await asked('lee')).toBe(code);
    for (const code of [200, 200, 429]) expect(await asked('kim')).toBe(code);
    expect(await asked('lee')).toBe(429);
  });
});
