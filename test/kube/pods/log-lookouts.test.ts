import { describe, expect, test } from 'vitest';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import { createLogLookouts } from '../../../shared/kube/pods/log-lookouts.ts';
import { logText } from '../../../shared/kube/pods/log-text.ts';
import type { LogReader } from '../../../shared/ports/log-reader.ts';

const TASK = asTaskArn('arn:aws:ecs:r:1:task/jobs/0f0f');

/** A log of one process, whose clock jumps where somebody sleeps; `steps`: what happens in each sleep. */
function aLog(steps: readonly (() => void)[] = [], { knowsEnd = false }: { readonly knowsEnd?: boolean } = {}) {
  const lines: string[] = [];
  const state = { now: 0, hasEnded: false, reads: 0, asked: 0, sleeps: [] as number[], isThrottled: false };
  const logs: LogReader = {
    async read({ after }) {
      state.reads++;
      if (state.isThrottled) return { kind: 'later' };
      const from = Number(after ?? 0);
      const found = lines.slice(from).map((text) => ({ atMs: 0, text }));
      const next = String(lines.length);
      return { kind: 'lines', lines: found, next, ...(knowsEnd ? { isComplete: state.hasEnded } : {}) };
    },
    async readBack() {
      return { kind: 'none' };
    },
  };
  const waiting: (() => void)[] = [];
  const clock = {
    now: () => state.now as never,
    async sleep(ms: number) {
      state.sleeps.push(ms);
      // All who sleep wake up in the order in which they would.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        setImmediate(() => {
          const resume = waiting.shift();
          if (resume === undefined) return;
          state.now += ms;
          steps[state.sleeps.length - 1]?.();
          resume();
        });
      });
    },
  };
  const lookouts = createLogLookouts({ logs, clock });
  const open = (isCancelled = () => false): AsyncGenerator<Uint8Array> => {
    const options = {
      container: 'main',
      previous: false,
      tailLines: null,
      limitBytes: null,
      since: null,
      timestamps: false,
      follow: true,
    };
    const checkEnded = async (): Promise<boolean> => {
      state.asked++;
      return state.hasEnded;
    };
    const delivery = { endsAt: 1_000_000, isCancelled, checkEnded };
    return logText({ taskArn: TASK, hasEnded: false }, options, delivery, { logs, clock, lookouts });
  };
  const follow = async (isCancelled = () => false): Promise<string> => {
    const parts: Uint8Array[] = [];
    for await (const part of open(isCancelled)) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  return { lines, state, lookouts, open, follow };
}

describe('those who follow one log', () => {
  test('share one poll, one page, and one look at the end of the task', async () => {
    const costOf = async (followers: number) => {
      const log = aLog([
        () => log.lines.push('two'),
        () => undefined,
        () => log.lines.push('three'),
        () => (log.state.hasEnded = true),
      ]);
      log.lines.push('one');
      const texts = await Promise.all(Array.from({ length: followers }, async () => log.follow()));
      expect(new Set(texts)).toEqual(new Set(['one\ntwo\nthree\n']));
      return {
        polls: log.state.sleeps.filter((ms) => ms !== 2_000).length,
        reads: log.state.reads,
        asked: log.state.asked,
      };
    };
    const alone = await costOf(1);
    const many = await costOf(200);
    expect(many.polls).toBe(alone.polls);
    expect(many.asked).toBe(alone.asked);
    expect(many.reads).toBeLessThan(alone.reads * 3);
  });

  test.each([1, 200])('read a quiet log once for each poll: %i of them', async (followers) => {
    const log = aLog([...Array.from({ length: 5 }, () => () => undefined), () => (log.state.hasEnded = true)]);
    await Promise.all(Array.from({ length: followers }, async () => log.follow()));
    // And at most four times more: at the beginning, and at the end.
    expect(log.state.reads).toBeLessThanOrEqual(6 + 4);
  });

  test('do not wait for one who reads no further, and who leaves nothing behind', async () => {
    const log = aLog([() => log.lines.push('two'), () => (log.state.hasEnded = true)]);
    log.lines.push('one');
    const slow = log.open();
    await slow.next();
    expect(await log.follow()).toBe('one\ntwo\n');
    expect(log.lookouts.size()).toBe(1);
    await slow.return(undefined);
    expect(log.lookouts.size()).toBe(0);
  });

  test('leave nothing behind, and one who leaves takes nothing from the others', async () => {
    const log = aLog([
      () => log.lines.push('two'),
      () => (hasLeft = true),
      () => log.lines.push('three'),
      () => (log.state.hasEnded = true),
    ]);
    let hasLeft = false;
    log.lines.push('one');
    const all = [log.follow(() => hasLeft), log.follow(), log.follow()];
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.lookouts.size()).toBe(1);
    expect(await Promise.all(all)).toEqual(['one\ntwo\n', 'one\ntwo\nthree\n', 'one\ntwo\nthree\n']);
    expect(log.lookouts.size()).toBe(0);
  });

  test('all hear that it cannot be read, and leave nothing behind', async () => {
    const log = aLog([
      () => {
        log.lines.slice = () => {
          throw new Error('gone');
        };
      },
    ]);
    const all = await Promise.allSettled([log.follow(), log.follow()]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(log.lookouts.size()).toBe(0);
  });

  test('wait where there are too many calls, and go on', async () => {
    const log = aLog([
      () => (log.state.isThrottled = true),
      () => (log.state.isThrottled = false),
      () => log.lines.push('two'),
      () => (log.state.hasEnded = true),
    ]);
    log.lines.push('one');
    expect(await log.follow()).toBe('one\ntwo\n');
    expect(log.state.sleeps).toEqual([1_000, 4_000, 1_500, 1_000, 2_000]);
  });
});

test('a page is there for one who comes to its place later, who waits for nothing', async () => {
  const log = aLog();
  log.lines.push('one');
  const [early, late] = [1, 2].map(() => log.lookouts.join({ taskArn: TASK, container: 'main' }));
  const page = await early?.read(null);
  expect(await late?.wait(null, async () => true)).toBe(false);
  expect(await late?.read(null)).toBe(page);
  expect([log.state.reads, log.state.sleeps]).toEqual([1, []]);
  // There was nothing after it then; now there may be.
  await early?.read('1');
  log.lines.push('two');
  expect(await late?.read('1')).toMatchObject({ next: '2' });
});

test('what is printed before the end and seen after it is sent', async () => {
  const log = aLog([() => (log.state.hasEnded = true), () => log.lines.push('the end')]);
  expect(await log.follow()).toBe('the end\n');
  expect(log.state.sleeps).toEqual([1_000, 2_000]);
});

test('where the reader knows that nothing more comes, nobody waits for it', async () => {
  const log = aLog(
    [
      () => {
        log.lines.push('the end');
        log.state.hasEnded = true;
      },
    ],
    { knowsEnd: true },
  );
  expect(await log.follow()).toBe('the end\n');
  expect(log.state.sleeps).toEqual([1_000]);
});

test('a reader says how often it may be polled; whether the task has ended is asked once a second', async () => {
  const logs: LogReader = {
    polls: { firstMs: 100, mostMs: 500 },
    read: async () => ({ kind: 'lines', lines: [], next: '0' }),
    readBack: async () => ({ kind: 'none' }),
  };
  let now = 0;
  let asked = 0;
  const waits: number[] = [];
  const clock = {
    now: () => now as never,
    sleep: async (ms: number) => {
      waits.push(ms);
      now += ms;
    },
  };
  const lookout = createLogLookouts({ logs, clock }).join({ taskArn: TASK, container: 'main' });
  for (let nth = 0; nth < 20; nth++)
    await lookout.wait('0', async () => {
      asked++;
      return false;
    });
  expect(waits.slice(0, 6)).toEqual([100, 150, 225, 337.5, 500, 500]);
  expect(asked).toBeLessThanOrEqual(Math.ceil(now / 1_000) + 1);
});
