import { expect, test } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { createMeter } from '../../control/meter.ts';

/** A machine on which a container of each name uses half a CPU, and a clock that moves when somebody sleeps. */
function aMachine(...names: string[]) {
  let nowMs = 1_000_000;
  let looks = 0;
  const clock = {
    now: () => asEpochMs(nowMs),
    sleep: async (ms: number): Promise<void> => Promise.resolve(void (nowMs += ms)),
  };
  const pod = { uid: asJobUid('uid-1'), index: 0, attempt: 1 };
  const read = async () => {
    looks += 1;
    return Promise.resolve(
      names.map((container) => ({ pod, taskId: 't', container, cpuNanos: nowMs * 500_000, memoryBytes: 1 })),
    );
  };
  return { measure: createMeter(read, clock), looks: () => looks, pass: (ms: number) => (nowMs += ms), names };
}

test('who asks first gets the rate of a second, and who asks at once gets the same', async () => {
  const machine = aMachine('a');
  const [one, other] = await Promise.all([machine.measure(), machine.measure()]);
  expect(one).toMatchObject({ windowMs: 1_000, rates: [{ container: 'a', cpuNanoCores: 500_000_000 }] });
  expect(other).toBe(one);
  machine.pass(999);
  expect(await machine.measure()).toBe(one);
  expect(machine.looks()).toBe(2);
});

test('later ones need one look, and get the rate since the last one', async () => {
  const machine = aMachine('a');
  await machine.measure();
  machine.pass(15_000);
  expect(await machine.measure()).toMatchObject({ windowMs: 15_000, rates: [{ cpuNanoCores: 500_000_000 }] });
  expect(machine.looks()).toBe(3);
});

test('a container that has started since has a rate, too', async () => {
  const machine = aMachine('a');
  await machine.measure();
  machine.names.push('b');
  machine.pass(5_000);
  const { windowMs, rates } = await machine.measure();
  expect([windowMs, rates.map(({ container }) => container)]).toEqual([1_000, ['a', 'b']]);
});

test('a look that fails is no answer, and the next one asks again', async () => {
  let isBroken = true;
  const clock = { now: () => asEpochMs(Date.now()), sleep: async () => Promise.resolve() };
  const measure = createMeter(async () => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve([])), clock);
  await expect(measure()).rejects.toThrow('no');
  isBroken = false;
  expect((await measure()).rates).toEqual([]);
});
