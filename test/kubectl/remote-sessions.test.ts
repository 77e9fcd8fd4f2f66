import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ARemoteApi, aRemoteApi } from '../../shared/capabilities/sessions/test/e2e/a-remote-api.ts';
import { PATIENCE_MS, TEST_MS, eventually } from '../e2e/kube-calls.ts';
import { findKubectls } from './kubectls.ts';

const kubectls = findKubectls();
const FAULTS = [
  { title: 'a good connection', faults: undefined },
  { title: 'a connection that loses, repeats, and delays', faults: { seed: 7, lost: 0.05, twice: 0.1, lateMs: 30 } },
];

type Ended = { readonly code: number | null; readonly out: Buffer; readonly err: string };

describe.runIf(kubectls.length > 0).each(FAULTS)(
  'kubectl in a task of AWS, over $title',
  { timeout: TEST_MS },
  ({ faults }) => {
    let remote: ARemoteApi;
    const pods: Record<string, string> = {};
    beforeAll(async () => {
      remote = await aRemoteApi(faults);
      pods['server'] = await remote.aServer();
      pods['ticks'] = await remote.aPod('ticks', 'while :; do echo tick; sleep 0.2; done');
    }, PATIENCE_MS);
    afterAll(async () => remote.close());

    describe.each(kubectls)('with kubectl $name', ({ path, name }) => {
      const start = (...words: readonly string[]): ChildProcess => {
        const home = join(remote.local.root, name);
        mkdirSync(home, { recursive: true });
        const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
        return spawn(path, ['--kubeconfig', remote.kubeconfig.proxy, ...words], { cwd: home, env });
      };
      const ended = async (child: ChildProcess, input?: Buffer): Promise<Ended> => {
        const out: Buffer[] = [];
        let err = '';
        child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
        child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
        child.stdin?.end(input);
        return new Promise((resolve) => child.once('close', (code) => resolve({ code, out: Buffer.concat(out), err })));
      };
      const run = async (...words: readonly string[]): Promise<Ended> => ended(start(...words));

      test('exec passes what is printed, errors apart, and the exit code on', async () => {
        for (const code of [0, 3, 127]) {
          const script = `echo out; echo err >&2; exit ${code}`;
          const { out, err, code: seen } = await run('exec', pods['ticks']!, '--', 'sh', '-c', script);
          expect([out.toString(), err.split('\n')[0], seen]).toEqual(['out\n', 'err', code]);
        }
        expect(await run('exec', pods['ticks']!, '--', 'nosuch')).toMatchObject({ code: 127 });
      });

      test('bytes of every kind go through cat and come back', async () => {
        const input = Buffer.from(Array.from({ length: 100_000 }, (_, n) => (n * 7 + (n >> 8)) % 256));
        const { code, out } = await ended(start('exec', '-i', pods['ticks']!, '--', 'cat'), input);
        expect([code, out.equals(input)]).toEqual([0, true]);
      });

      test('a terminal takes what is typed', async () => {
        const child = start('exec', '-it', pods['ticks']!, '--', 'sh', '-c', 'read line; echo "<$line>"; exit 5');
        const { code, out } = await ended(child, Buffer.from('typed\n'));
        expect([code, out.toString()]).toEqual([5, expect.stringContaining('<typed>')]);
      });

      test('cp takes a folder there and back', async () => {
        const home = join(remote.local.root, name);
        mkdirSync(join(home, 'from/deep'), { recursive: true });
        const content = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
        writeFileSync(join(home, 'from/deep/file'), content);
        const there = join(remote.local.root, `there-${name}`);
        expect(await run('cp', 'from', `${pods['ticks']!}:${there}`)).toMatchObject({ code: 0 });
        expect(await run('cp', `${pods['ticks']!}:${there}`, 'back')).toMatchObject({ code: 0 });
        expect(readFileSync(join(home, 'back/deep/file')).equals(content)).toBe(true);
      });

      test('attach shows what is printed', async () => {
        const child = start('attach', pods['ticks']!);
        const seen = await new Promise<string>((resolve) => {
          child.stdout?.on('data', (chunk: Buffer) => resolve(chunk.toString()));
        });
        expect(seen).toMatch(/^(tick\n)+$/);
        child.kill('SIGINT');
        await ended(child);
      });

      test('port-forward carries many connections at once', async () => {
        const child = start('port-forward', pods['server']!, ':8080');
        const port = await new Promise<string>((resolve) => {
          child.stdout?.on('data', (chunk: Buffer) => {
            const [, found] = /127\.0\.0\.1:(\d+) -> 8080/.exec(chunk.toString()) ?? [];
            if (found !== undefined) resolve(found);
          });
        });
        const answers = await Promise.all(
          Array.from({ length: 5 }, async () => (await fetch(`http://127.0.0.1:${port}/`)).text()),
        );
        expect(new Set(answers)).toEqual(new Set(['hello'.repeat(20_000)]));
        child.kill('SIGINT');
        await ended(child);
      });

      test('a client that is gone leaves no program behind', async () => {
        const child = start('exec', pods['ticks']!, '--', 'sleep', '1000');
        await eventually(
          async () => (remote.gateway.running() > 0 ? true : null),
          () => 'it does not run',
        );
        child.kill('SIGKILL');
        await eventually(
          async () => (remote.gateway.running() === 0 ? true : null),
          () => 'it runs on',
        );
        expect(remote.gateway.running()).toBe(0);
      });

      test('what is refused is said', async () => {
        expect((await run('exec', 'nosuch', '--', 'true')).err).toContain('pods "nosuch" not found');
        expect((await run('exec', pods['ticks']!, '-c', 'no', '--', 'true')).err).toContain(
          'container no is not valid',
        );
      });
    });

    test('all that was asked is allowed, and as AWS has it, and no token is in any log', () => {
      expect(remote.faults).toEqual([]);
      expect(remote.gateway.tokens.length).toBeGreaterThan(0);
      for (const token of remote.gateway.tokens) expect(remote.logged.join('\n')).not.toContain(token);
      expect(
        remote.logged.filter((line) => line.startsWith('audit') && line.includes('"subresource":"exec"')).length,
      ).toBeGreaterThan(0);
    });
  },
);
