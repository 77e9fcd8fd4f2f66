import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../cli/program/program.ts';
import { KEYS, REGION, aGateway } from '../proxy/a-gateway.ts';
import { aProxyOf } from '../proxy/a-proxy.ts';
import { passOnTo } from '../proxy/signing-gateway.ts';
import { type AServer, aServer } from './a-server.ts';

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'frames' },
  spec: {
    completionMode: 'Indexed',
    completions: 2,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b', command: ['true'] }] } },
  },
};

const FRAMES = '/apis/batch/v1/namespaces/default/jobs/frames';

describe('muster kubeconfig', () => {
  test('prints one for the server that runs here', async () => {
    const { run, url } = await aServer();
    const { code, out, err } = await run('kubeconfig');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(parse(out)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'muster', cluster: { server: url } }],
      users: [{ name: 'muster', user: {} }],
      contexts: [{ name: 'muster', context: { cluster: 'muster', user: 'muster', namespace: 'default' } }],
      'current-context': 'muster',
    });
  });

  test('what it prints leads here again, in the namespace that was asked for', async () => {
    const { run, file, url } = await aServer();
    file('f', (await run('kubeconfig -n team --context here')).out);
    const { out } = await run('--kubeconfig f kubeconfig');
    expect(parse(out)).toMatchObject({
      clusters: [{ cluster: { server: url } }],
      contexts: [{ context: { namespace: 'team' } }],
    });
  });

  test('for the address of a proxy, which need not run yet', async () => {
    const { run, requests } = await aServer();
    const { code, out } = await run('kubeconfig --server http://127.0.0.1:8001/ --context aws -n team');
    expect(code).toBe(0);
    expect(parse(out)).toMatchObject({
      clusters: [{ name: 'aws', cluster: { server: 'http://127.0.0.1:8001' } }],
      contexts: [{ name: 'aws', context: { cluster: 'aws', user: 'aws', namespace: 'team' } }],
      'current-context': 'aws',
    });
    expect(requests).toEqual([]);
  });

  test('into a file of its own, and over none that is there', async () => {
    const { run, dir, file } = await aServer();
    const { code, out, err } = await run('kubeconfig -o new');
    expect({ code, out, err }).toEqual({ code: 0, out: '', err: `export KUBECONFIG=${join(dir, 'new')}\n` });
    expect(statSync(join(dir, 'new')).mode & 0o777).toBe(0o600);
    file('mine', 'precious');
    const again = await run('kubeconfig -o mine');
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining('mine already exists and was not changed') as string,
    });
    expect(readFileSync(join(dir, 'mine'), 'utf8')).toBe('precious');
    expect((await run('kubeconfig -o no/where')).code).toBe(2);
  });

  test('nobody runs here any more', async () => {
    const { run, close } = await aServer();
    await close();
    const { code, out, err } = await run('kubeconfig');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('connection refused');
  });

  test.each([
    ['kubeconfig --server http://10.0.0.1:8001', 'plain http is allowed only on this machine'],
    ['kubeconfig --server http://ann:secret@127.0.0.1:8001', 'It must hold no user and no password'],
    ['kubeconfig --server http://127.0.0.1:8001?x=1', 'takes only a host and a path'],
    ['kubeconfig --server nowhere', 'It must be an address'],
    ['proxy', 'error: no server given: set --server or MUSTER_SERVER to the output ApiUrl'],
    ['proxy --server http://10.0.0.1/k8s', 'plain http is allowed only on this machine'],
    ['proxy --server https://muster.example/k8s', 'muster.example does not include its Region: set --region'],
    [
      'proxy --server https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s --region us-east-1',
      'the host is in eu-west-1, but --region is us-east-1',
    ],
    ['proxy --server https://muster.example/k8s?x=1 --region a', 'specify only a host and a path'],
    ['proxy --port 65536', 'It must be a whole number from 0 to 65535.'],
  ])('%s: exit 2', async (line, expected) => {
    const { code, out, err } = await (await aServer()).run(line);
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test.each(['kubeconfig --help', 'proxy --help'])('%s has examples', async (line) => {
    const { code, out } = await (await aServer()).run(line);
    expect(code).toBe(0);
    expect(out).toContain('Examples:\n  muster ');
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(110);
  });
});

describe('muster proxy', () => {
  test('the whole command line works through it: create, list, watch, delete', async () => {
    const server: AServer = await aServer({
      steps: [async () => void (await fetch(`${server.url}${FRAMES}`, { method: 'DELETE' }))],
    });
    const gateway = await aGateway({ answer: passOnTo(server) });
    const { url } = await aProxyOf(`${gateway.url}/k8s`);
    server.file('job.json', JOB);
    server.file('f', (await server.run(`kubeconfig --server ${url}`)).out);
    const run = async (line: string) => server.run(`--kubeconfig f ${line}`);
    expect(await run('run -f job.json')).toMatchObject({ code: 0 });
    expect((await run('get')).out).toContain('frames');
    expect(await run('get pods frames -o json')).toMatchObject({ code: 0 });
    expect((await run('run -f job.json')).err).toContain('jobs.batch "frames" already exists');
    expect(await run('delete frames')).toMatchObject({ code: 0 });
    expect((await run('get frames')).err).toContain('jobs.batch "frames" not found');
    // Somebody else deletes it while it is watched.
    expect(await run('run -f job.json --wait')).toMatchObject({ code: 3 });
    expect(gateway.received.some(({ url: target }) => target.includes('watch=true'))).toBe(true);
    expect(gateway.refused).toEqual([]);
    expect(gateway.received.every(({ url: path }) => path.startsWith('/k8s/'))).toBe(true);
  });

  test('says where it is, signs as whom the environment says, and ends well at Ctrl-C', async () => {
    const server = await aServer();
    const gateway = await aGateway({ answer: passOnTo(server) });
    process.env['AWS_ACCESS_KEY_ID'] = KEYS.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = KEYS.secretAccessKey;
    onTestFinished(() => {
      delete process.env['AWS_ACCESS_KEY_ID'];
      delete process.env['AWS_SECRET_ACCESS_KEY'];
    });
    const shell = server.shell({ env: { MUSTER_SERVER: `${gateway.url}/k8s/` }, now: Date.now });
    const over = runCommandLine(['proxy', '--region', REGION, '--port', '0'], shell.shell);
    await expect.poll(() => shell.out()).toContain('Ctrl-C stops it');
    expect(shell.out()).toContain(`${gateway.url}/k8s (${REGION})`);
    const [line = '', url = ''] = / muster (kubeconfig --server (\S+))/.exec(shell.out())?.slice(1) ?? [];
    server.file('f', (await server.run(line)).out);
    expect(await server.run('--kubeconfig f get')).toMatchObject({ code: 0 });

    const taken = server.shell({ now: Date.now });
    const argv = ['proxy', '-s', `${gateway.url}/k8s`, '--region', REGION, '-p', new URL(url).port];
    expect(await runCommandLine(argv, taken.shell)).toBe(1);
    expect(taken.err()).toContain('is in use; choose another with --port');

    expect(shell.interrupt()).toBe(true);
    expect(await over).toBe(0);
    expect(shell.err()).toContain('Stopped.');
    await expect(fetch(`${url}/version`)).rejects.toThrow('fetch failed');
    expect(gateway.refused).toEqual([]);
  });
});
