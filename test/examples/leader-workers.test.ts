import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

// The example without Muster: its processes find one another by names that are addresses already.

const PROGRAM = join(import.meta.dirname, '../../examples/leader-workers/primes.mjs');
const BELOW_100_000_000 = 5_761_455; // A006880(8)

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const NET = `127.${1 + Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;

function start(index: number, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {
      JOB_COMPLETION_INDEX: String(index),
      MUSTER_HOSTS_PATTERN: `${NET}.1%d`,
      MUSTER_ADDRESS: `${NET}.1${index}`,
      COUNT_BELOW: '100000000',
      WORKERS: '2',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let printed = '';
  const waiting: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      for (const look of waiting) look();
    });
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return {
    child,
    printed: () => printed,
    ended,
    says: async (text: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => void (printed.includes(text) && resolve());
        waiting.push(look);
        look();
      }),
  };
}

test.runIf(process.platform === 'linux')(
  'leader and workers count the primes, in whatever order they start, and though a worker dies',
  async () => {
    const leader = start(0);
    await leader.says(`${NET}.11 does not answer (ECONNREFUSED)`);
    start(1);
    const first = start(2, { REST_MS: '1000000' }); // answers for one range, and for no other
    await first.says(' primes in ');
    first.child.kill('SIGKILL');
    await first.ended;
    await leader.says(`${NET}.12 does not answer (`);
    start(2);
    expect(await leader.ended).toBe(0);
    expect(leader.printed()).toMatch(/all 2 workers answer\n/);
    expect(leader.printed()).toMatch(new RegExp(`there are ${BELOW_100_000_000} primes below 100000000\n$`));
  },
);

test.runIf(process.platform === 'linux')(
  'a worker lives on after calls that make no sense, and ends when told to',
  async () => {
    const worker = start(1);
    await worker.says('is process');
    for (const path of ['/primes?from=x', '/primes?from=0&to=1e300', '//', '/hello'])
      await fetch(`http://${NET}.11:7070${path}`).catch(() => undefined);
    const ten = await fetch(`http://${NET}.11:7070/primes?from=0&to=30`);
    expect(await ten.json()).toEqual({ name: `${NET}.11`, count: 10 });
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  },
);

test('without names it says what the Job lacks', async () => {
  const alone = start(0, { MUSTER_HOSTS_PATTERN: '' });
  expect(await alone.ended).toBe(1);
  expect(alone.printed()).toBe('MUSTER_HOSTS_PATTERN is not set: the Job needs a subdomain\n');
});

test('the README tells the true number', () => {
  expect(readFileSync(join(PROGRAM, '../README.md'), 'utf8')).toContain(
    `there are ${BELOW_100_000_000} primes below 100000000`,
  );
});
