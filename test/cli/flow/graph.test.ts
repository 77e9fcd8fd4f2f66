import { expect, test } from 'vitest';
import { START, manifest } from '../../kube/a-world.ts';
import { aServer } from '../a-server.ts';

const dependent = (name: string, annotations: Record<string, string>, spec: object = {}) =>
  manifest(name, spec, { metadata: { name, annotations } });

/** Two Jobs that wait, what they wait for, and one that has nothing to do with them. */
async function aFlow() {
  const server = await aServer();
  server.file('jobs.json', {
    kind: 'List',
    items: [
      manifest('prepare'),
      manifest('alone'),
      dependent('map', { 'muster.run/after': 'prepare, fetch:finished' }),
      dependent('reduce', { 'muster.run/after-indexes': 'map/2' }, { completions: 2 }),
    ],
  });
  await server.run('run -f jobs.json');
  await server.world.commit('prepare', [{ op: 'claim', index: 0 }], { startTime: START });
  return server;
}

test('all Jobs that wait or are waited for, as a tree', async () => {
  const { run } = await aFlow();
  expect(await run('graph')).toMatchObject({ code: 0, err: '' });
  const { out } = await run('graph');
  expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2).join(' '))).toEqual([
    'JOB STATE',
    'fetch missing',
    'prepare running',
    '↓ map held',
    '↓ reduce held',
    '',
  ]);
});

test('a Job and what is connected with it; one that is not there is refused', async () => {
  const { run } = await aFlow();
  expect((await run('graph alone')).out).toBe('JOB     STATE     SUCCEEDED   AFTER\nalone   waiting   0/4\n');
  expect((await run('graph job.batch/map -o json')).out).toContain('"name": "reduce"');
  expect(await run('graph map nowhere')).toEqual({
    code: 1,
    out: '',
    err: 'Error from server (NotFound): jobs.batch "nowhere" not found\n',
  });
});

test('the table of Jobs says Held', async () => {
  const { run } = await aFlow();
  expect((await run('get map')).out).toMatch(/^map {4}Held {5}0\/4/m);
});

test('for other programs', async () => {
  const { run } = await aFlow();
  expect((await run('graph -o dot')).out).toContain(
    '"map" -> "reduce" [label="index by index, 2 each", style=dashed];',
  );
  expect((await run('graph -o mermaid')).out).toMatch(/^flowchart LR\n/);
  expect(JSON.parse((await run('graph -o json')).out)).toMatchObject({
    metadata: { namespace: 'default' },
    jobs: [{ name: 'fetch', state: 'missing' }, { name: 'prepare' }, { name: 'map' }, { afterIndexes: 'map/2' }],
  });
});

test('no Job waits: says so, and prints an empty graph for programs', async () => {
  const { run } = await aServer();
  expect(await run('graph')).toEqual({ code: 0, out: '', err: 'No Job of namespace default waits for another one.\n' });
  expect(JSON.parse((await run('graph -o json')).out)).toMatchObject({ jobs: [] });
});

test('in a terminal, whole lines and colours', async () => {
  const { run } = await aFlow();
  const { out } = await run('graph', { terminal: { columns: 40, rows: 10 } });
  expect(out).toContain('\u001B[33mmissing');
});
