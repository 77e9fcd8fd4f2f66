import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const MAIN = resolve('cli/main.ts');
const TSX = import.meta.resolve('tsx');

/** A process of `muster` in a folder, as a user starts it. */
function muster(cwd: string, line: string) {
  const child: ChildProcess = spawn(process.execPath, ['--import', TSX, MAIN, ...line.split(' ')], {
    cwd,
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
  const says = async (text: string) => expect.poll(() => texts.out + texts.err, { timeout: 20_000 }).toContain(text);
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
    expect(third.err()).toContain(`error: port ${port} is taken`);

    // npx passes the terminal's Ctrl-C on: one press comes twice.
    child.kill('SIGINT');
    child.kill('SIGTERM'); // two of one kind would become one on the way
    expect(await over).toEqual({ code: 0, signal: null });
    expect(err()).toContain('Stopping: ');
    expect(err()).toContain('Stopped.');
    await expect(fetch(`${url}/version`)).rejects.toThrow('fetch failed');
  }, 60_000);

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
  }, 60_000);
});
