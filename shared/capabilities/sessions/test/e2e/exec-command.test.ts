import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Shell } from '../../../../../cli/shell/shell.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually, shellJob } from '../../../../../test/e2e/kube-calls.ts';
import { exec } from '../../cli/run-exec.ts';
import { type ARemoteApi, aRemoteApi } from './a-remote-api.ts';

type Wish = {
  readonly kubeconfig: string;
  readonly pod: string;
  readonly stdin?: Buffer;
  readonly tty?: boolean;
  readonly interrupt?: (press: () => void) => void;
};

/** Runs `muster exec` in this process. */
async function run({ kubeconfig, pod, stdin, tty = false, interrupt }: Wish, ...command: readonly string[]) {
  const [input, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const nothing = { write: () => undefined };
  const shell = {
    out: nothing,
    err: nothing,
    env: {},
    cwd: '/',
    now: Date.now,
    onInterrupt(then: (signal: 'SIGINT') => void) {
      interrupt?.(() => then('SIGINT'));
      return () => undefined;
    },
  } as unknown as Shell;
  input.end(stdin);
  const flags = { container: null, stdin: stdin !== undefined, tty, command, namespace: null, kubeconfig };
  const shown = Promise.all([buffer(stdout), buffer(stderr)]);
  try {
    const code = await exec(pod, flags, shell, { stdin: input, stdout, stderr, terminal: null });
    stdout.end();
    stderr.end();
    const [out, err] = await shown;
    return { code, out, err: err.toString() };
  } catch (error) {
    return { code: null, out: Buffer.alloc(0), err: error instanceof Error ? error.message : String(error) };
  }
}

const INPUT = Buffer.from(Array.from({ length: 50_000 }, (_, n) => (n * 7 + (n >> 8)) % 256));

describe('muster exec', { timeout: TEST_MS }, () => {
  let remote: ARemoteApi;
  let local: ALocalRuntime;
  let ways: Readonly<Record<string, Wish>> = {};
  beforeAll(async () => {
    remote = await aRemoteApi();
    local = await aLocalRuntime({ store: 'memory' });
    await local.kube.create(shellJob('here', 'while :; do sleep 1; done', { backoffLimit: 0 }));
    const here = await eventually(
      async () => {
        const [pod] = await local.kube.pods('here');
        return pod?.status.phase === 'Running' ? pod.metadata.name : null;
      },
      () => 'here does not run',
    );
    const there = await remote.aPod('there', 'while :; do sleep 1; done');
    ways = {
      'the embedded runtime': { kubeconfig: local.runtime.kubeconfig, pod: here },
      'muster proxy': { kubeconfig: remote.kubeconfig.proxy, pod: there },
      'an API that holds no connections': { kubeconfig: remote.kubeconfig.api, pod: there },
    };
  }, PATIENCE_MS);
  afterAll(async () => {
    await remote.close();
    await local.close();
  });

  describe.each(['the embedded runtime', 'muster proxy', 'an API that holds no connections'])('with %s', (way) => {
    test('has the output, the errors, and the exit code of the command', async () => {
      const { code, out, err } = await run(ways[way]!, 'sh', '-c', 'echo out; echo err >&2; exit 3');
      expect([code, out.toString(), err]).toEqual([3, 'out\n', 'err\n']);
    });

    test('passes its input on, byte by byte', async () => {
      const { code, out } = await run({ ...ways[way]!, stdin: INPUT }, 'cat');
      expect([code, out.equals(INPUT)]).toEqual([0, true]);
    });

    test('gives the command a terminal', async () => {
      const { code, out } = await run({ ...ways[way]!, tty: true }, 'sh', '-c', 'test -t 1 && echo yes; exit 4');
      expect([code, out.toString()]).toEqual([4, 'yes\r\n']);
    });

    test('ends with Ctrl-C, and its command with it', async () => {
      let press: () => void = () => undefined;
      const ended = run({ ...ways[way]!, interrupt: (given) => (press = given) }, 'sleep', '1000');
      if (way !== 'the embedded runtime')
        await eventually(
          async () => (remote.gateway.running() > 0 ? true : null),
          () => 'it does not run',
        );
      await eventually(
        async () => {
          press();
          return Promise.race([ended, new Promise<null>((resolve) => setTimeout(() => resolve(null), 200))]);
        },
        () => 'it goes on',
      );
      expect((await ended).code).toBe(130);
      await eventually(
        async () => (remote.gateway.running() === 0 ? true : null),
        () => 'its command goes on',
      );
    });

    test('says why it cannot', async () => {
      const { code, err } = await run({ ...ways[way]!, pod: 'nosuch' }, 'true');
      expect([code, err]).toEqual([null, 'error: pods "nosuch" not found']);
    });
  });
});
