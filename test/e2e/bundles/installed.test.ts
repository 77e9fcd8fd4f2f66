import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../kube-calls.ts';

// The package as users get it: packed, installed with nothing of this checkout in sight, and used in an empty folder.

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), 'muster-installed-'));
const prefix = join(root, 'prefix');
const folder = join(root, 'folder');
/** Not from an npm script of ours, and nobody's KUBECONFIG. */
const env = {
  PATH: [
    join(prefix, 'bin'),
    ...(process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules')),
  ].join(delimiter),
  HOME: process.env['HOME'],
};
const muster = async (...args: readonly string[]) => run('muster', [...args], { cwd: folder, env });

const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'hello' },
  spec: {
    completions: 2,
    completionMode: 'Indexed',
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'echo "index $JOB_COMPLETION_INDEX"'] }],
      },
    },
  },
};

describe('the installed package', { timeout: PATIENCE_MS }, () => {
  let said = '';
  beforeAll(async () => {
    mkdirSync(folder);
    await run('npm', ['pack', resolve('dist'), '--pack-destination', root], { cwd: root });
    const [file = ''] = readdirSync(root).filter((each) => each.endsWith('.tgz'));
    const options = ['--prefix', prefix, '--no-audit', '--no-fund', '--prefer-offline'];
    const { stderr } = await run('npm', ['install', '-g', join(root, file), ...options], { cwd: root });
    said = stderr;
  }, PATIENCE_MS);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('installs without a word about packages, but that npm does not build what is prebuilt', () => {
    expect(said).not.toMatch(/EBADENGINE|deprecated/);
    const unbuilt = [...said.matchAll(/install-scripts +([^@ ]+)@\S+ \(/g)].map(([, name]) => name);
    expect(['lmdb', 'msgpackr-extract']).toEqual(expect.arrayContaining(unbuilt));
    expect(said.includes('install-scripts')).toBe(unbuilt.length > 0);
  });

  test('brings few packages: an emulator of SQS comes when it is wanted', async () => {
    expect(readdirSync(join(prefix, 'lib/node_modules/muster-jobs/node_modules'))).not.toContain('fauxqs');
    const failed = await muster('local', '--emulate-aws', '--port', '0').catch((error: unknown) => error);
    const [, wanted = ''] = /: run (npm install -g fauxqs@\S+)\n/.exec((failed as { stderr: string }).stderr) ?? [];
    const [, ...words] = wanted.split(' ');
    await run('npm', [...words, '--prefix', prefix, '--no-audit', '--no-fund', '--prefer-offline'], { cwd: root });
    expect((await muster('local', '--emulate-aws', '--detach', '--port', '0')).stdout).toContain('.muster-aws');
    expect((await muster('stop', '--data', '.muster-aws')).stdout).toContain('Stopped the Muster on ');
  });

  test('helps, and names commands by the name that it has here', async () => {
    expect((await muster('--help')).stdout).toContain('Usage: muster ');
    const failed = await muster('get').catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Start one with `muster local`') as string,
    });
  });

  test('runs a Job and prints its log', async () => {
    writeFileSync(join(folder, 'job.json'), JSON.stringify(JOB));
    await muster('local', '--detach');
    try {
      expect((await muster('run', '-f', 'job.json', '--wait')).stdout).toContain(
        'job.batch/hello complete: 2/2 succeeded',
      );
      expect((await muster('logs', 'hello', '--index', '1')).stdout).toBe('index 1\n');
    } finally {
      expect((await muster('stop')).stdout).toContain('Stopped the Muster on ');
    }
  });
});
