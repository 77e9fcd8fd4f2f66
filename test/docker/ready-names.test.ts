import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { openEngine } from '../../local/docker/engine.ts';
import { ReadyNames } from '../../local/docker/ready-names.ts';
import { addressesIn } from '../../local/ecs/driver/addresses.ts';
import { handClock } from '../ecs/hand-clock.ts';

const NAME = 'trio-ready.workers.default.muster.internal';

const State = { Status: 'running', ExitCode: 0, StartedAt: '2026-11-20T00:00:00Z', FinishedAt: '0001-01-01T00:00:00Z' };
const RUNNING = JSON.stringify({ Id: 'it', State });

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** An engine that takes note of what is asked, and refuses to make a container the first `refusals` times. */
async function anEngine(refusals = 0) {
  const asked: string[] = [];
  let left = refusals;
  let isMade = false;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const what = `${request.method} ${request.url?.replace(/\?.*/, '').replace(/muster-\S+?(?=\/|$)/, 'it')}`;
      if (request.method !== 'GET') asked.push(body.includes(NAME) ? `${what} with the name` : what);
      const isRefused = what.endsWith('/create') && left-- > 0;
      if (what.endsWith('/start')) isMade = true;
      if (request.method === 'GET') response.writeHead(isMade ? 200 : 404).end(RUNNING);
      else response.writeHead(isRefused ? 500 : 200).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const engine = openEngine({ kind: 'host', url: `http://127.0.0.1:${port}`, certDir: null });
  closers.push(() => {
    engine.close();
    server.close();
  });
  return { engine, asked };
}

/** The names of an installation, of which Cloud Map has one or not. */
async function someNames(refusals = 0) {
  const { engine, asked } = await anEngine(refusals);
  const timers = handClock();
  const listeners: ((name: string) => void)[] = [];
  let isKnown = false;
  const addresses = addressesIn('10.201');
  const warnings: string[] = [];
  const ready = new ReadyNames({
    engine,
    installation: '0123456789ab',
    names: {
      lookUp: () => (isKnown ? { kind: 'addresses', ips: ['10.201.0.1'], ttlSec: 5 } : { kind: 'absent' }),
      watch: (listener) => void listeners.push(listener),
    },
    addresses: () => addresses,
    isThere: () => true,
    timers,
    log: (message) => void warnings.push(message),
  });
  const set = (known: boolean): void => {
    isKnown = known;
    for (const listener of listeners) listener(NAME);
  };
  return { ready, asked, timers, warnings, set };
}

const MADE = ['POST /containers/create with the name', 'POST /containers/it/start'];

test('while Cloud Map does not have the name, the engine is asked for nothing', async () => {
  const { ready, asked, set } = await someNames();
  ready.use(NAME, 'a');
  ready.use(NAME, 'b');
  set(false);
  ready.leave(NAME, 'a');
  ready.leave(NAME, 'b');
  await ready.close();
  expect(asked).toEqual([]);
});

test('a container has it as long as Cloud Map has it and a task may ask for it', async () => {
  const { ready, asked, set } = await someNames();
  set(true); // nobody may ask for it yet
  expect(asked).toEqual([]);
  ready.use(NAME, 'a');
  ready.use(NAME, 'b');
  await expect.poll(() => asked).toEqual(MADE);
  ready.leave(NAME, 'a');
  ready.leave(NAME, 'b');
  await expect.poll(() => asked.at(-1)).toBe('DELETE /containers/it');
  await ready.close();
  expect(asked.filter((each) => each === MADE[0])).toHaveLength(1);
});

test('what the engine refuses is tried again', async () => {
  const { ready, asked, timers, warnings, set } = await someNames(2);
  ready.use(NAME, 'a');
  set(true);
  for (const count of [1, 2]) {
    await expect.poll(() => warnings.length).toBe(count);
    timers.advance(1_000);
  }
  await expect.poll(() => asked.at(-1)).toBe('POST /containers/it/start');
  expect(asked.filter((each) => each === MADE[0])).toHaveLength(3);
  await ready.close();
});
