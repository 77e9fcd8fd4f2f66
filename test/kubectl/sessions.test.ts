import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually, shellJob } from '../e2e/kube-calls.ts';
import { canLook, processesNaming } from '../e2e/processes-left.ts';
import { TERMINAL } from '../../local/ecs/sessions/terminal.ts';
import { findKubectls } from './kubectls.ts';

const kubectls = findKubectls();
const SERVER = `require('node:http').createServer((_, answer) => answer.end('hello')).listen(8080, process.env.MUSTER_ADDRESS)`;
const BUSY = `const held = Buffer.alloc(200_000_000, 1); for (;;) held[0] += 1;`;
const CONNECTIONS = 200;
const hasPython = spawnSync('python3', ['-c', '']).status === 0;

type Ended = { readonly code: number | null; readonly out: Buffer; readonly err: string };

/** The one that is oldest here speaks SPDY, the newest WebSockets: see `gapsOf`. */
describe.runIf(kubectls.length > 0)('kubectl in a Pod', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  const pods: Record<string, string> = {};

  const aPod = async (name: string, script: string): Promise<string> => {
    await local.kube.create(shellJob(name, script, { backoffLimit: 0 }));
    return eventually(
      async () => {
        const [pod] = await local.kube.pods(name);
        return pod !== undefined && pod.status.phase !== 'Pending' ? pod.metadata.name : null;
      },
      () => `${name} does not run`,
    );
  };

  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory' });
    writeFileSync(join(local.workspaceDir, 'server.cjs'), SERVER);
    writeFileSync(join(local.workspaceDir, 'busy.cjs'), BUSY);
    pods['server'] = await aPod('server', `exec "${process.execPath}" server.cjs`);
    pods['ticks'] = await aPod('ticks', 'while :; do echo tick; sleep 0.2; done');
    pods['over'] = await aPod('over', 'true');
    await local.kube.ended('over');
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  describe.each(kubectls)('with kubectl $name', ({ path, name, minor }) => {
    const start = (...words: readonly string[]): ChildProcess => {
      const home = join(local.root, name);
      mkdirSync(home, { recursive: true });
      const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
      return spawn(path, ['--kubeconfig', local.runtime.kubeconfig, ...words], { cwd: home, env });
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
    /** kubectl in a terminal of its own. */
    const onScreen = (words: readonly string[]) => {
      const home = join(local.root, name);
      const child = spawn(
        'python3',
        ['-I', '-c', TERMINAL, '80x24', path, '--kubeconfig', local.runtime.kubeconfig, ...words],
        {
          cwd: local.root,
          env: { HOME: home, PATH: process.env['PATH'] ?? '' },
          stdio: Array.from({ length: 5 }, () => 'pipe'),
        },
      );
      let seen = '';
      child.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()));
      const write = (text: string) => child.stdin?.write(text);
      return {
        write,
        resize: (width: number, height: number) => (child.stdio[4] as Writable).write(`${width}x${height}\n`),
        types: async (line: string, shown: string) =>
          eventually(
            () => {
              if (seen.includes(shown)) return true;
              write(`${line}\n`);
              return null;
            },
            () => seen,
            300,
          ),
        ended: new Promise<number | null>((resolve) => child.once('exit', resolve)),
      };
    };

    test('exec passes what is printed and the exit code on', async () => {
      for (const code of [0, 3, 127]) {
        const script = `echo out; echo err >&2; exit ${code}`;
        const { out, err, code: seen } = await run('exec', pods['ticks']!, '--', 'sh', '-c', script);
        expect([out.toString(), err.split('\n')[0], seen]).toEqual(['out\n', 'err', code]);
      }
      const { code, err } = await run('exec', pods['ticks']!, '--', 'nosuch');
      expect([code, err]).toEqual([1, expect.stringContaining('nosuch: command not found')]);
    });

    test('a command may be a script of 100,000 characters', async () => {
      const words = 'a'.repeat(100_000);
      const { code, out } = await run('exec', pods['ticks']!, '--', 'sh', '-c', `echo ${words}`);
      expect([code, out.toString().trim() === words]).toEqual([0, true]);
    });

    test('100 MB go through cat and come back', async () => {
      const input = Buffer.alloc(100 * 1024 * 1024, 'muster ');
      const { code, out } = await ended(start('exec', '-i', pods['ticks']!, '--', 'cat'), input);
      expect([code, out.equals(input)]).toEqual([0, true]);
    });

    test('cp takes a folder there and back', async () => {
      const home = join(local.root, name);
      mkdirSync(join(home, 'from/deep'), { recursive: true });
      const content = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
      writeFileSync(join(home, 'from/deep/file'), content);
      const there = join(local.root, `there-${name}`);
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

    test('run -i sends its input to a program, shows what that prints, and ends as it does', async () => {
      const pod = `cat-${minor}`;
      const words = ['run', pod, '-i', '--rm', '--restart=Never', '--image=any', '--command', '--', 'sh', '-c'];
      const { code, out, err } = await ended(start(...words, 'sort; exit 3'), Buffer.from('b\na\n'));
      expect([out.toString().replace(/pod .* deleted.*\n/, ''), err]).toEqual(['a\nb\n', expect.any(String)]);
      expect(code).toBe(3);
      expect((await run('get', 'pod', pod)).err).toContain('not found');
    });

    test('attach -i sends to a program that runs, and another one goes on where it left', async () => {
      const pod = `open-${minor}`;
      const script = 'read a; echo "1 $a"; read b; echo "2 $b"; sleep 3';
      const container = { name: 'main', image: 'any', stdin: true, command: ['sh', '-c', script] };
      const spec = { restartPolicy: 'Never', containers: [container] };
      writeFileSync(
        join(local.root, `${pod}.json`),
        JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: pod }, spec }),
      );
      expect(await run('create', '-f', join(local.root, `${pod}.json`))).toMatchObject({ code: 0 });
      await eventually(
        async () => ((await run('get', 'pod', pod)).out.toString().includes('Running') ? true : null),
        () => `${pod} does not run`,
      );
      const first = await ended(start('attach', '-i', pod), Buffer.from('one\n'));
      expect(first.code).toBe(0);
      const second = start('attach', '-i', pod);
      second.stdin?.write('two\n');
      const { out } = await ended(second);
      expect(out.toString()).toContain('2 two\n');
      expect((await run('logs', pod)).out.toString()).toBe('1 one\n2 two\n');
    });

    test.runIf(hasPython)('exec -it and run -it follow the size of the terminal that kubectl has', async () => {
      const run = ['run', `screen-${minor}`, '-it', '--rm', '--restart=Never', '--image=any', '--command', '--', 'sh'];
      for (const words of [['exec', '-it', pods['ticks']!, '--', 'sh'], run]) {
        const screen = onScreen(words);
        screen.resize(101, 33);
        await screen.types('stty size', '33 101');
        screen.resize(77, 22);
        await screen.types('stty size', '22 77');
        screen.write('exit 5\n');
        expect(await screen.ended).toBe(5);
      }
    });

    test('port-forward carries 200 connections at once', async () => {
      const child = start('port-forward', pods['server']!, ':8080');
      const port = await new Promise<string>((resolve) => {
        child.stdout?.on('data', (chunk: Buffer) => {
          const [, found] = /127\.0\.0\.1:(\d+) -> 8080/.exec(chunk.toString()) ?? [];
          if (found !== undefined) resolve(found);
        });
      });
      const answers = await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => (await fetch(`http://127.0.0.1:${port}/`)).text()),
      );
      expect(answers).toEqual(answers.map(() => 'hello'));
      child.kill('SIGINT');
      await ended(child);
    });

    test('a wrong container, and a Pod that is over, are refused in one sentence', async () => {
      const wrong = await run('exec', pods['ticks']!, '-c', 'no', '--', 'true');
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining(`container no is not valid for pod`)]);
      const over = await run('exec', pods['over']!, '--', 'true');
      expect([over.code, over.err]).toEqual([
        1,
        expect.stringContaining('cannot exec into a container in a completed pod; current phase is Succeeded'),
      ]);
    });

    test.runIf(canLook)('a kubectl that is killed leaves no process', async () => {
      const mark = join(local.root, `mark-${name}`);
      const child = start('exec', pods['ticks']!, '--', 'env', `MARK=${mark}`, 'sleep', '1000');
      const left = () => processesNaming(mark).filter((line) => / sleep /.test(line) && !line.includes('kubectl'));
      await eventually(
        () => (left().length === 1 ? true : null),
        () => 'it does not run',
      );
      child.kill('SIGKILL');
      await eventually(
        () => (left().length === 0 ? true : null),
        () => left().join('\n'),
      );
      expect(left()).toEqual([]);
    });

    test.runIf(canLook)('top shows what Pods use, and that there are no nodes', async () => {
      const lines = async (...words: readonly string[]) => {
        const { code, out, err } = await run('top', ...words);
        expect([code, err]).toEqual([0, '']);
        return out
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => line.trimEnd().split(/\s+/));
      };
      const job = `busy-${minor}`;
      const busy = await aPod(job, `"${process.execPath}" busy.cjs`);
      const all = await lines('pods');
      expect(all[0]).toEqual(['NAME', 'CPU(cores)', 'MEMORY(bytes)']);
      const used = (pod: string): readonly number[] =>
        (all.find(([name]) => name === pod) ?? []).slice(1).map((amount) => Number.parseInt(amount, 10));
      const [cpu, memory] = used(busy);
      // It takes all that the machine gives it, and holds 200 MB, in a process that a shell has started.
      expect(cpu).toBeGreaterThan(100);
      expect(memory).toBeGreaterThan(200);
      expect(memory).toBeLessThan(400);
      expect(used(pods['ticks']!)[0]).toBeLessThan(100);
      expect((await lines('pods', '--sort-by=cpu', '-A'))[1]?.slice(0, 2)).toEqual(['default', busy]);
      expect((await lines('pods', '-l', `job-name=${job}`, '--containers'))[1]?.slice(0, 2)).toEqual([busy, 'main']);
      expect(await lines('pod', pods['ticks']!)).toHaveLength(2);
      const nodes = await run('top', 'nodes');
      expect([nodes.code, nodes.err]).toEqual([1, expect.stringContaining('there are no nodes here')]);
      await run('delete', 'job', job);
    });

    test('debug says what to do instead, and makes a copy of a Pod that runs another command', async () => {
      const pod = pods['ticks']!;
      const beside = await run('debug', pod, '--image=any', '--', 'sh');
      const copy = `copy-${minor}`;
      const hint = `kubectl debug ${pod} --copy-to=${pod}-debug --container=NAME -- COMMAND`;
      expect([beside.code, beside.err]).toEqual([1, expect.stringContaining(hint)]);
      const words = ['debug', pod, `--copy-to=${copy}`, '--container=main', '--share-processes=false', '-i'];
      const { code, out } = await ended(
        start(...words, '--', 'sh', '-c', 'read a; echo "got $a"; exit 3'),
        Buffer.from('this\n'),
      );
      expect([code, out.toString()]).toEqual([expect.any(Number), expect.stringContaining('got this\n')]);
      await eventually(
        async () => ((await run('get', 'pod', copy)).out.toString().includes('Error') ? true : null),
        () => `${copy} does not end`,
      );
      expect((await run('logs', copy)).out.toString()).toBe('got this\n');
    });

    test('it may have sessions', async () => {
      const can = await run('auth', 'can-i', 'create', 'pods', '--subresource=exec');
      expect(can.out.toString()).toBe('yes\n');
    });
  });
});
