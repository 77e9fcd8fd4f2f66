import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aMixedServer } from './a-mixed-job.ts';

test('once the Pods that have ended are deleted, all that they came to is still there', async () => {
  const server = await aMixedServer();
  const { run, url, dir } = server;
  const pods = '/api/v1/namespaces/default/pods';
  const listed = async () => ((await server.json(pods)) as { items: { status: { phase: string } }[] }).items;
  const lines = [
    'failures sums',
    'failures sums --attempts',
    'joblog sums',
    'logs sums --failed',
    'logs sums --index 0',
    'logs sums --index 1 --attempt 1',
    'get jobs',
    'rerun sums --failed --dry-run',
  ];
  const filesOf = async (folder: string) => {
    const { code } = await run(`logs sums --results ${folder}`);
    const names = readdirSync(join(dir, folder), { recursive: true, encoding: 'utf8' }).toSorted();
    const outputs = names.filter((name) => name.endsWith('stdout'));
    return { code, names, texts: outputs.map((name) => readFileSync(join(dir, folder, name), 'utf8')) };
  };
  const all = async (folder: string) => {
    const answers: object[] = [await filesOf(folder)];
    for (const line of lines) answers.push({ line, ...(await run(line)) });
    return answers;
  };
  const before = await all('before');
  expect((await listed()).length).toBe(7);
  expect((await fetch(`${url}${pods}?fieldSelector=status.phase!=Running`, { method: 'DELETE' })).status).toBe(200);
  expect((await listed()).map(({ status }) => status.phase)).toEqual(['Running']);
  expect(await all('after')).toEqual(before);
});
