import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startKeptFront } from '../../local/front/kept-front.ts';
import { isRefusedPort } from '../../shared/names/refused-ports.ts';

const APP = { fetch: () => new Response('here') };

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-kept-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Starts the API, stops it, and says at which port it was. */
async function portOf(dir: string, port: number | null = null): Promise<{ port: number; said: readonly string[] }> {
  const said: string[] = [];
  const front = await startKeptFront(APP, dir, { port, say: (line) => said.push(line) });
  expect(await (await fetch(front.url)).text()).toBe('here');
  await front.close();
  return { port: Number(new URL(front.url).port), said };
}

async function take(port: number): Promise<() => void> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return () => server.close();
}

test('the API of a folder keeps its port, takes another where that is taken, says so, and keeps that one', async () => {
  const dir = aFolder();
  const { port } = await portOf(dir);
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
  expect(await portOf(dir)).toEqual({ port, said: [] });
  await take(port);
  const second = await portOf(dir);
  expect(second.port).not.toBe(port);
  expect(second.said).toEqual([
    `warning: port ${port}, which this folder used before, is in use: the API is now at ${second.port}`,
  ]);
  expect(await portOf(dir)).toEqual({ port: second.port, said: [] });
});

test('a port that is asked for is the one, and is kept; one that is taken is refused and nothing changes', async () => {
  const dir = aFolder();
  const { port: free } = await portOf(aFolder());
  expect(await portOf(dir, free)).toEqual({ port: free, said: [] });
  expect(await portOf(dir)).toEqual({ port: free, said: [] });
  const { port: other } = await portOf(aFolder());
  await take(other);
  await expect(portOf(dir, other)).rejects.toThrow('EADDRINUSE');
  expect(readFileSync(join(dir, 'api-port'), 'utf8')).toBe(`${free}\n`);
});

test('the ports that are refused are those to which fetch does not connect', async () => {
  const refused = Array.from({ length: 65_535 }, (_, n) => n + 1).filter(isRefusedPort);
  const causes = await Promise.all(
    refused.map(async (port) =>
      fetch(`http://127.0.0.1:${port}/`).catch(({ cause }: Error) => (cause as Error | undefined)?.message),
    ),
  );
  expect([...new Set(causes)]).toEqual(['bad port']);
  expect(refused).toHaveLength(82);
});
