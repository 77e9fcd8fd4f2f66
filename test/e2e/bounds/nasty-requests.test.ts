import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS, manifest } from '../../kube/a-world.ts';
import { NASTY_REQUESTS, PREPARED, bodyOf } from '../../kube/bounds/nasty-requests.ts';
import type { NastyRequest } from '../../kube/bounds/request-forms.ts';
import { type BuiltLocal, startBuiltLocal } from '../../support/built/built-program.ts';

/** What a request may cost: a second at most, on a machine of half the usual speed. On a busy one, only this says what it costs. */
const CPU_MAX_MS = 2_000;
/** So long others may wait on a busy machine. */
const OTHERS_WAIT_MAX_MS = 15_000;
const RSS_MAX_MB = 400;
const EVERY_MS = 20;

const folder = mkdtempSync(join(tmpdir(), 'muster-nasty-'));
let local: BuiltLocal;

const send = async ({ method = 'POST', path, type = 'application/json', body }: Omit<NastyRequest, 'what'>) => {
  const text = bodyOf({ what: '', path, body });
  return fetch(`${local.url}${path}`, {
    method,
    headers: { 'content-type': type },
    ...(text === undefined ? {} : { body: text }),
  });
};

beforeAll(async () => {
  local = await startBuiltLocal(join(import.meta.dirname, '../../../dist/muster.mjs'), folder);
  for (const each of [{ path: JOBS, body: manifest('sums', { suspend: true }) }, ...PREPARED])
    if ((await send(each)).status !== 201) throw new Error(`${each.path} is refused`);
});
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Milliseconds until `/version` is answered, the longest of all while something lasts. */
async function longestWait(during: Promise<unknown>): Promise<number> {
  let isOver = false;
  void during.finally(() => (isOver = true));
  let longest = 0;
  do {
    const since = performance.now();
    expect((await fetch(`${local.url}/version`)).status).toBe(200);
    longest = Math.max(longest, performance.now() - since);
    await sleep(EVERY_MS);
  } while (!isOver);
  return longest;
}

/** Milliseconds of CPU that the runtime has had so far: 10 of them are a tick (proc_pid_stat(5), fields 14 and 15). */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${local.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The most memory that the runtime has had so far. */
const highestMb = (): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${local.pid}/status`, 'utf8'))?.[1]) / 1024;

test.each(NASTY_REQUESTS.map((request) => [request.what, request] as const))('%s', async (_, request) => {
  const before = cpuMs();
  const sent = send(request);
  const waited = await longestWait(sent);
  const answer = await sent;
  await answer.arrayBuffer();
  const spent = cpuMs() - before;
  // The next request finds the name free.
  if (answer.ok && (request.method ?? 'POST') === 'POST')
    await send({ method: 'DELETE', path: `${request.path}/nasty` });
  expect(answer.status).toBeLessThan(500);
  expect(spent).toBeLessThan(CPU_MAX_MS);
  expect(waited).toBeLessThan(OTHERS_WAIT_MAX_MS);
  expect(highestMb()).toBeLessThan(RSS_MAX_MB);
});
