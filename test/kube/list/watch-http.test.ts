import { type IncomingMessage, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach, expect, test, vi } from 'vitest';
import type { ApiOptions } from '../../../shared/kube/http/api-deps.ts';
import { JOBS, aWorld, manifest } from '../a-world.ts';

const servers: ServerType[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** The API on a port of this machine, in real time. */
async function served(options: ApiOptions) {
  const world = await aWorld({ pollMs: 5, ...options });
  world.clock.sleep = async (ms) => sleep(ms);
  const port = await new Promise<number>((resolve) => {
    const server = serve({ fetch: (request) => world.app.fetch(request), port: 0, hostname: '127.0.0.1' }, (at) =>
      resolve(at.port),
    );
    servers.push(server);
  });
  const open = async (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path, agent: false }, resolve).on('error', reject);
    });
  return { world, open };
}

const textOf = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

test('a watch’s head is sent before anything happens', async () => {
  const { open } = await served({});
  const answer = await open(`${JOBS}?watch=1`); // resolves with the head; nothing will happen
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json']);
  answer.destroy();
});

test('a client that hangs up gives its place back', async () => {
  const { open } = await served({ openStreamsMax: 1 });
  for (let i = 0; i < 3; i++) {
    let answer = await open(`${JOBS}?watch=1`);
    while (answer.statusCode === 429) {
      answer.destroy();
      await sleep(5);
      answer = await open(`${JOBS}?watch=1`);
    }
    expect(answer.statusCode).toBe(200);
    answer.destroy();
  }
});

test('a list that breaks off breaks the connection', async () => {
  const { world, open } = await served({});
  for (let i = 0; i < 251; i++) await world.post(JOBS, manifest(`job-${i}`));
  expect((JSON.parse(await textOf(await open(JOBS))) as { items: unknown[] }).items).toHaveLength(251);
  const { listJobs } = { listJobs: world.jobs.listJobs.bind(world.jobs) };
  let left = 3; // pages of 100: the answer has begun
  world.jobs.listJobs = async (page) => (left-- > 0 ? listJobs(page) : Promise.reject(new Error('throttled')));
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // the server reports it too
  await expect(textOf(await open(JOBS))).rejects.toThrow('aborted');
});
