import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startOf } from '../../local/process-identity.ts';

/** As users have it: it starts in a quarter of the time that its sources take. */
const PROGRAM = resolve('dist/muster.mjs');

/** Not what started these tests: `npm test` and `npx vitest` leave other words in the environment. */
const { npm_lifecycle_event: _starter, ...INSTALLED } = process.env;

/** A process of `muster` in a folder, as a user starts it who has it installed. */
function muster(cwd: string, line: string, env: NodeJS.ProcessEnv = {}) {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...line.split(' ')], {
    cwd,
    env: { ...INSTALLED, ...env },
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (part: Buffer) => (texts.out += part.toString()));
  child.stderr?.on('data', (part: Buffer) => (texts.err += part.toString()));
  const over = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }));
  const says = async (text: string) => expect.poll(() => texts.out + texts.err).toContain(text);
  return { child, over, says, out: () => texts.out, err: () => texts.err };
}

function aFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-local-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const LOCAL = 'local --in-memory --driver simulated';
const READY = 'Ctrl-C stops it';

describe('muster local', () => {
  test('says where it is, serves, and ends well at Ctrl-C', async () => {
    const dir = aFolder();
    const { child, over, says, out, err } = muster(dir, LOCAL);
    await says(READY);
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(out()) ?? [];
    const kubeconfig = join(dir, '.muster', 'kubeconfig');
    expect(out()).toContain(`export KUBECONFIG=${kubeconfig}\n`);
    expect(out()).not.toContain('--kubeconfig');
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    expect(await (await fetch(`${url}/version`)).json()).toHaveProperty('muster');

    const second = muster(dir, LOCAL);
    expect((await second.over).code).toBe(1);
    expect(second.err()).toMatch(/^error: another runtime \(pid \d+\) runs on /);

    const port = new URL(url).port;
    const third = muster(dir, `${LOCAL} --data other --port ${port}`);
    expect((await third.over).code).toBe(1);
    expect(third.err()).toContain(`error: port ${port} is in use`);

    // npx passes the terminal's Ctrl-C on: one press comes twice.
    child.kill('SIGINT');
    child.kill('SIGTERM'); // two of one kind would become one on the way
    expect(await over).toEqual({ code: 0, signal: null });
    expect(err()).toContain('Stopping all tasks');
    expect(err()).toContain('Stopped.');
    await expect(fetch(`${url}/version`)).rejects.toThrow('fetch failed');
  });

  test('with --emulate-aws it has another folder, and neither mode takes what the other made', async () => {
    const dir = aFolder();
    const aws = muster(dir, `${LOCAL} --emulate-aws`);
    await aws.says(READY);
    expect(aws.out()).toContain('emulated on loopback');
    expect(aws.out()).toContain(join(dir, '.muster-aws', 'kubeconfig'));
    expect(existsSync(join(dir, '.muster'))).toBe(false);
    aws.child.kill('SIGINT');
    expect(await aws.over).toEqual({ code: 0, signal: null });

    const plain = muster(dir, `${LOCAL} --data .muster-aws`);
    expect(await plain.over).toEqual({ code: 1, signal: null });
    expect(plain.err()).toContain(
      'was created by `muster local --emulate-aws`, and `muster local` stores Jobs differently',
    );
    expect(existsSync(join(dir, '.muster-aws', 'lock'))).toBe(false);
    // An address of DynamoDB is one for the SDK: it takes the folder that a runtime as AWS has made, and finds nobody there.
    const elsewhere = muster(dir, 'local --driver simulated --dynamodb-endpoint http://127.0.0.1:1 --data .muster-aws');
    expect((await elsewhere.over).code).not.toBe(0);
    expect(elsewhere.err()).toContain('ECONNREFUSED');
  });

  test('refuses formats that it does not know, unless the option says others', async () => {
    const { over, err } = muster(aFolder(), LOCAL, { MUSTER_FORMATS: 'old' });
    expect(await over).toEqual({ code: 2, signal: null });
    expect(err()).toContain('MUSTER_FORMATS must be current or previous: "old"');
    const option = muster(aFolder(), `${LOCAL} --formats previous`, { MUSTER_FORMATS: 'old' });
    await option.says(READY);
  });

  test('a Job runs on it to its end', async () => {
    const dir = aFolder();
    const { says } = muster(
      dir,
      `${LOCAL} --data elsewhere --task-ms 1-20 --events-duplicate 1 --events-shuffle-ms 50 --seed 5`,
    );
    await says(READY);
    await says(`--kubeconfig ${join(dir, 'elsewhere', 'kubeconfig')}`);
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'frames' },
      spec: {
        completionMode: 'Indexed',
        completions: 20,
        parallelism: 10,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b', command: ['true'] }] } },
      },
    };
    const run = muster(dir, '--kubeconfig elsewhere/kubeconfig run -f - --wait --timeout 60s');
    run.child.stdin?.end(JSON.stringify(job));
    expect(await run.over).toEqual({ code: 0, signal: null });
    expect(run.out()).toMatch(/job\.batch\/frames complete: 20\/20 succeeded in \d+s\n$/);
  });
});

/** The process that has taken a data folder. */
const holderOf = (dir: string): number =>
  (JSON.parse(readFileSync(join(dir, '.muster', 'lock'), 'utf8')) as { pid: number }).pid;

/** A zombie that nobody waits for is gone, too. */
const isGone = (pid: number): boolean => startOf(pid) === null;

/** Starts `muster local` as npm does, and says what kills that npm. */
const NPM = `
  const { spawn } = require('node:child_process');
  const [command, ...rest] = JSON.parse(process.argv[1]);
  spawn(command, rest, { stdio: 'inherit', env: { ...process.env, npm_lifecycle_event: 'npx' } });
  setInterval(() => {}, 1000);`;

describe('the npx in front of muster local', () => {
  const local = [process.execPath, PROGRAM, ...LOCAL.split(' ')];
  test.each([
    ['itself', local],
    ['behind a shell', ['sh', '-c', '"$@"; exit $?', 'sh', ...local]],
  ])('is killed, and it ends as at Ctrl-C: %s', async (_, command) => {
    const dir = aFolder();
    const npm = spawn(process.execPath, ['-e', NPM, JSON.stringify(command)], { cwd: dir, stdio: 'pipe' });
    onTestFinished(() => void npm.kill('SIGKILL'));
    let text = '';
    for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
    await expect.poll(() => text).toContain(READY);
    const pid = holderOf(dir);
    onTestFinished(() => void (isGone(pid) || process.kill(pid, 'SIGKILL')));
    npm.kill('SIGKILL');
    await expect.poll(() => text).toContain('Stopped.');
    await expect.poll(() => isGone(pid)).toBe(true);
  });
});

describe('muster local --detach and muster stop', () => {
  test('the one returns when it is ready, the other when it is gone', async () => {
    const dir = aFolder();
    const start = muster(dir, `${LOCAL} --detach`);
    expect(await start.over).toEqual({ code: 0, signal: null });
    const pid = holderOf(dir);
    onTestFinished(() => void (isGone(pid) || process.kill(pid, 'SIGKILL')));
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(start.out()) ?? [];
    expect(start.out()).toContain(`  export KUBECONFIG=${join(dir, '.muster', 'kubeconfig')}\n`);
    expect(start.out()).toContain('`muster stop` stops it');
    expect(start.err()).toBe('');
    expect(await (await fetch(`${url}/version`)).json()).toHaveProperty('muster');
    expect(statSync(join(dir, '.muster', 'runtime.log')).mode & 0o777).toBe(0o600);

    const again = muster(dir, `${LOCAL} -d`);
    expect(await again.over).toEqual({ code: 0, signal: null });
    expect(again.out()).toContain(`Muster is already running here (pid ${pid}, ${url})`);
    expect(holderOf(dir)).toBe(pid);

    const stop = muster(dir, 'stop');
    expect(await stop.over).toEqual({ code: 0, signal: null });
    expect(isGone(pid)).toBe(true);
    expect(stop.out()).toBe(`Stopped the Muster on ${join(dir, '.muster')} (pid ${pid}).\n`);

    const none = muster(dir, 'stop');
    expect(await none.over).toEqual({ code: 0, signal: null });
    expect(none.out()).toBe(`No Muster runs on ${join(dir, '.muster')}.\n`);
    expect(existsSync(join(dir, '.muster', 'lock'))).toBe(false);
  });

  test('a start that fails says why, with the exit code of a start in front', async () => {
    const dir = aFolder();
    const taken = muster(dir, `${LOCAL} --data other`);
    await taken.says(READY);
    const [, port] = /127\.0\.0\.1:(\d+)/.exec(taken.out()) ?? [];
    const start = muster(dir, `${LOCAL} --detach --port ${port}`);
    expect((await start.over).code).toBe(1);
    expect(start.err()).toBe(`error: port ${port} is in use; omit --port to use a free one\n`);
    expect(start.out()).toBe('');
  });

  test('stop gives up waiting after --timeout', async () => {
    const dir = aFolder();
    const { child, says } = muster(dir, LOCAL);
    await says(READY);
    child.kill('SIGSTOP');
    const stop = muster(dir, 'stop --timeout 300ms');
    expect((await stop.over).code).toBe(124);
    expect(stop.err()).toContain(`(pid ${child.pid}) is still stopping`);
  });
});
