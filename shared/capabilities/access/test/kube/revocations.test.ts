import { describe, expect, it } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { RECHECK_MS, createRevocations } from '../../../../kube/authorization/revocations.ts';
import { START, manifest, arnOf } from '../../../../../test/kube/a-world.ts';
import { aGuardedWorld, grants, rule } from './a-guarded-world.ts';

/** A clock whose sleeps end when the test says so. */
function aClock() {
  let now = 0;
  let wake: (() => void)[] = [];
  return {
    now: () => asEpochMs(now),
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        expect(ms).toBe(RECHECK_MS);
        wake.push(resolve);
      }),
    sleepers: () => wake.length,
    async pass() {
      now += RECHECK_MS;
      const sleeping = wake;
      wake = [];
      for (const each of sleeping) each();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** An answer that says a word, and then nothing for a long time. */
function aStream() {
  let isCancelled = false;
  let close = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('first'));
      close = () => controller.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { response: new Response(body, { status: 200 }), isCancelled: () => isCancelled, close: () => close() };
}

describe('an open answer', () => {
  it('ends when the right to it is gone, at the next look', async () => {
    const clock = aClock();
    let may = true;
    const stream = aStream();
    const text = createRevocations(clock)
      .endWith(stream.response, async () => may)
      .text();
    await clock.pass();
    await clock.pass();
    expect(stream.isCancelled()).toBe(false);
    may = false;
    await clock.pass();
    expect(await text).toBe('first');
    expect(stream.isCancelled()).toBe(true);
    await clock.pass();
    expect(clock.sleepers()).toBe(0);
  });

  it('outlasts two failures to ask, not three', async () => {
    const clock = aClock();
    let fails = true;
    const mayGoOn = async () => {
      if (fails) throw new Error('the table is away');
      return true;
    };
    const stream = aStream();
    const text = createRevocations(clock).endWith(stream.response, mayGoOn).text();
    await clock.pass();
    await clock.pass();
    fails = false;
    await clock.pass();
    fails = true;
    await clock.pass();
    await clock.pass();
    expect(stream.isCancelled()).toBe(false);
    await clock.pass();
    expect(await text).toBe('first');
  });

  it.each<[string, (stream: ReturnType<typeof aStream>, answer: Response) => Promise<unknown>]>([
    ['has ended', async (stream, answer) => (stream.close(), answer.text())],
    ['is cancelled', async (_, answer) => answer.body?.cancel()],
  ])('is not asked about any more once it %s', async (_, leave) => {
    const clock = aClock();
    let asked = 0;
    const stream = aStream();
    await leave(
      stream,
      createRevocations(clock).endWith(stream.response, async () => ++asked > 0),
    );
    await clock.pass();
    await clock.pass();
    expect([asked, clock.sleepers()]).toEqual([0, 0]);
  });

  it('shares one timer with all others', async () => {
    const clock = aClock();
    const revocations = createRevocations(clock);
    for (let i = 0; i < 100; i++) void revocations.endWith(aStream().response, async () => true);
    expect(clock.sleepers()).toBe(1);
    await clock.pass();
    expect(clock.sleepers()).toBe(1);
  });
});

const JOBS = '/apis/batch/v1/namespaces/team-a/jobs';
const LOG = '/api/v1/namespaces/team-a/pods';
const ALLOWED = grants({ user: 'jane', namespace: 'team-a', rules: [rule('* batch/*'), rule('* *')] });
const HOUR_SEC = 3600;

describe('losing a right', () => {
  const aRunningJob = async () => {
    const world = await aGuardedWorld(ALLOWED, { streamMaxSec: HOUR_SEC });
    expect((await world.send('POST', JOBS, { body: manifest('x') })).status).toBe(201);
    await world.commit('team-a/x', [
      { index: 0, op: 'claim' },
      { index: 0, op: 'launched' },
      { index: 0, op: 'running' },
    ]);
    await world.launch('team-a/x', [{ index: 0, attempt: 1 }]);
    world.printIn(arnOf(0, 1), 'main', 'hello');
    const pods = (await (await world.send('GET', LOG)).json()) as { items: { metadata: { name: string } }[] };
    return { world, pod: pods.items[0]?.metadata.name ?? '' };
  };

  it.each(['watch', 'log'] as const)('ends a %s long before its time, and the next is refused', async (what) => {
    const { world, pod } = await aRunningJob();
    const path = what === 'watch' ? `${JOBS}?watch=true` : `${LOG}/${pod}/log?follow=true`;
    const response = await world.send('GET', path);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    world.allow(grants());
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read());
    expect(world.clock.now() - START).toBeLessThan(HOUR_SEC * 100);
    expect((await world.send('GET', path)).status).toBe(403);
  });

  it('of others changes nothing: a watch lasts as long as it may', async () => {
    const { world } = await aRunningJob();
    const response = await world.send('GET', `${JOBS}?watch=true`);
    expect(await response.text()).toContain('"name":"x"');
    expect(world.clock.now() - START).toBeGreaterThanOrEqual(HOUR_SEC * 1000);
  });

  it('refuses an answer that is sent as a whole, if it took so long', async () => {
    let lose = (): void => undefined;
    const world = await aGuardedWorld(ALLOWED, { watchMode: 'buffered' }, { onSleep: () => lose() });
    const watch = () => world.send('GET', `${JOBS}?watch=true`);
    expect((await watch()).status).toBe(200);
    lose = () => world.allow(grants());
    expect((await watch()).status).toBe(403);
  });
});
