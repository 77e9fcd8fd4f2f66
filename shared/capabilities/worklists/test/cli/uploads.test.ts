import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../../../cli/program/program.ts';
import { JOBS, manifest } from '../../../../../test/kube/a-world.ts';
import { type AServer, type ServerWish, aServer } from '../../../../../test/cli/a-server.ts';

// A list that is too large for a manifest: a WorkList carries it to the Job, and goes.

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
const COUNT = 10_001;
const LINE = 'run zip --image busybox --per-completion-env F=@list.txt -- echo $F';
const MADE_BY_RUN = { labels: { 'app.kubernetes.io/managed-by': 'muster-run' } };

async function withList(wish: ServerWish = {}): Promise<AServer> {
  const server = await aServer(wish);
  server.file('list.txt', Array.from({ length: COUNT }, (_, n) => `file-${n}.txt\n`).join(''));
  return server;
}

const listsOf = async ({ json }: AServer): Promise<readonly string[]> =>
  ((await json(LISTS)) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
const jobsOf = async ({ json }: AServer): Promise<readonly string[]> =>
  ((await json(JOBS)) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);

const aList = (metadata: object = {}) => ({
  apiVersion: 'muster.run/v1',
  kind: 'WorkList',
  metadata: { name: 'zip', ...metadata },
  spec: { columns: ['F'], items: [['other.txt']] },
});

const post = async ({ url }: AServer, path: string, object: object): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(object),
  });

/** Runs the line and presses Ctrl-C when a request comes that `when` matches. */
async function interruptedAt(when: RegExp, line = LINE) {
  let press = (): void => undefined;
  const server = await withList({
    intercept(request) {
      if (when.test(`${request.method} ${request.url}`)) press();
      return false;
    },
  });
  const hand = server.shell();
  press = () => void hand.interrupt();
  const code = await runCommandLine(line.split(' '), hand.shell);
  return { server, code, out: hand.out(), err: hand.err(), listeners: hand.listeners() };
}

test('the list is gone as soon as the Job is there, and the Job keeps its items', async () => {
  const server = await withList();
  const { code, out } = await server.run(LINE);
  expect([code, out]).toEqual([0, 'job.batch/zip created\n']);
  expect(await listsOf(server)).toEqual([]);
  const job = (await server.json(`${JOBS}/zip`)) as { metadata: { annotations: Record<string, string> } };
  expect(JSON.parse(job.metadata.annotations['muster.run/pinned-items'] ?? '')).toMatchObject({ count: COUNT });
});

describe('Ctrl-C', () => {
  test('while parts are sent: nothing is created, nothing is left', async () => {
    const { server, code, err, listeners } = await interruptedAt(/parts\/0/);
    expect([code, err, listeners]).toEqual([130, 'interrupted: nothing was created\n', 0]);
    expect([await listsOf(server), await jobsOf(server)]).toEqual([[], []]);
  });

  test('while it is sealed: the same', async () => {
    const { server, code } = await interruptedAt(/seal/);
    expect([code, await listsOf(server), await jobsOf(server)]).toEqual([130, [], []]);
  });

  test('while the Job is created: it is there, and the list is not', async () => {
    const { server, code, out, err, listeners } = await interruptedAt(/^POST .*\/jobs/);
    expect([code, out, listeners]).toEqual([130, 'job.batch/zip created\n', 0]);
    expect(err).toBe('interrupted: job.batch/zip is there and runs\n');
    expect([await listsOf(server), await jobsOf(server)]).toEqual([[], ['zip']]);
  });

  test('the same with --wait, which then waits for nothing', async () => {
    const { server, code } = await interruptedAt(/^POST .*\/jobs/, LINE.replace(' -- ', ' --wait -- '));
    expect([code, await listsOf(server), await jobsOf(server)]).toEqual([130, [], ['zip']]);
  });
});

describe('a list of this name is there already', () => {
  const left = async (metadata: object): Promise<AServer> => {
    const server = await withList();
    expect((await post(server, LISTS, aList(metadata))).status).toBe(201);
    return server;
  };

  test('an upload has left it: refused, with the way out; --replace takes it', async () => {
    const server = await left(MADE_BY_RUN);
    const refused = await server.run(LINE);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('An upload before has left it: `--replace` removes it first.\n');
    expect(await listsOf(server)).toEqual(['zip']);
    expect((await server.run(LINE.replace(' -- ', ' --replace -- '))).code).toBe(0);
    expect([await listsOf(server), await jobsOf(server)]).toEqual([[], ['zip']]);
  });

  test('somebody has made it: it stays, whatever is said', async () => {
    const server = await left({});
    const refused = await server.run(LINE.replace(' -- ', ' --replace -- '));
    expect([refused.code, await listsOf(server), await jobsOf(server)]).toEqual([1, ['zip'], []]);
    expect(refused.err).toContain('kubectl delete worklist zip');
  });

  test('what another client has made under the name meanwhile is not removed', async () => {
    let isDone = false;
    const server: AServer = await withList({
      intercept(request, response) {
        if (isDone || !/^POST .*\/jobs/.test(`${request.method} ${request.url}`)) return false;
        isDone = true;
        void (async () => {
          await fetch(`${server.url}${LISTS}/zip`, { method: 'DELETE' });
          await post(server, LISTS, aList());
          response.writeHead(409, { 'content-type': 'application/json' });
          const status = { kind: 'Status', code: 409, reason: 'Conflict', message: 'not now' };
          response.end(JSON.stringify(status));
        })();
        return true;
      },
    });
    expect((await server.run(LINE)).code).toBe(1);
    expect(await listsOf(server)).toEqual(['zip']);
  });
});

test('a Job that is refused leaves no list', async () => {
  const server = await withList();
  await post(server, JOBS, manifest('zip'));
  const { code, err } = await server.run(LINE);
  expect([code, err.includes('AlreadyExists')]).toEqual([1, true]);
  expect(await listsOf(server)).toEqual([]);
});

describe('run -f with a WorkList beside the Job', () => {
  const LIST =
    'apiVersion: muster.run/v1\nkind: WorkList\nmetadata: {name: grid}\nspec: {matrix: {A: ["1", "2"], B: ["x", "y"]}}\n';
  const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: grid, annotations: {muster.run/work-list: grid}}
spec:
  completionMode: Indexed
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox, command: [echo, $(A)]}]}}
`;
  const withFile = async (text: string): Promise<AServer> => {
    const server = await aServer();
    server.file('job.yaml', text);
    return server;
  };

  test.each([
    ['before it', `${LIST}---\n${JOB}`],
    ['after it', `${JOB}---\n${LIST}`],
  ])('a list that stands %s is created first', async (_, text) => {
    const server = await withFile(text);
    const out = 'worklist.muster.run/grid created\njob.batch/grid created\n';
    expect(await server.run('run -f job.yaml')).toEqual({ code: 0, out, err: '' });
    expect(await server.json(`${JOBS}/grid`)).toMatchObject({ spec: { completions: 4 } });
  });

  test('again: only with --replace', async () => {
    const server = await withFile(`${LIST}---\n${JOB}`);
    await server.run('run -f job.yaml');
    const again = await server.run('run -f job.yaml');
    expect(again.code).toBe(1);
    expect(again.err).toContain('`muster run --replace` deletes it first: Jobs keep the items that they have.\n');
    server.file('job.yaml', LIST.replace('"2"', '"2", "3"'));
    expect((await server.run('run -f job.yaml --replace')).out).toBe('worklist.muster.run/grid replaced\n');
    expect(await listsOf(server)).toEqual(['grid']);
    expect(((await server.json(`${LISTS}/grid`)) as { status: object }).status).toMatchObject({ items: 6 });
    expect(await server.json(`${JOBS}/grid`)).toMatchObject({ spec: { completions: 4 } });
  });

  test('a list alone has nothing to wait for, and a bad one is refused with its path', async () => {
    const server = await withFile(LIST);
    expect(await server.run('run -f job.yaml --wait -o name')).toMatchObject({
      code: 0,
      out: 'worklist.muster.run/grid\n',
    });
    server.file('job.yaml', LIST.replace('matrix: {A: ["1", "2"], B: ["x", "y"]}', 'matrix: {A: []}'));
    expect(await server.run('run -f job.yaml')).toMatchObject({
      code: 1,
      err: expect.stringContaining('spec.matrix.A') as unknown,
    });
  });
});
