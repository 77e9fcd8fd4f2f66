import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { dice } from '../../support/arbitrary-board.ts';
import { someFolders } from '../a-local-runtime.ts';
import { killNow, startRuntime } from '../a-runtime-process.ts';
import { type Kube, TEST_MS, eventually, kubeAt, linesOf } from '../kube-calls.ts';
import { canLook, processesNaming } from '../processes-left.ts';

if (!canLook) console.warn('SKIPPED: processes that a kill leaves behind are looked for on Linux only');

/** Another seed kills at other moments: SEED=7 npx vitest run test/e2e/crashes/queued-configs.test.ts */
const SEED = Number(process.env['SEED'] ?? 1);
const JOBS = 200;
const MAX = 3;
const KILLS = 5;
const NAMES = Array.from({ length: JOBS }, (_, n) => `run-${String(n).padStart(3, '0')}`);
const FURIKO = '/apis/execution.furiko.io/v1alpha1/namespaces/default';
const KIND = { apiVersion: 'execution.furiko.io/v1alpha1' } as const;

/** Says in the workspace that it starts and ends; the lines of one file are in the order in which they were said. */
const TASK = 'echo "start ${job.name}" >> out; sleep 0.3; echo "end ${job.name}" >> out';

const CONFIG = {
  ...KIND,
  kind: 'JobConfig',
  metadata: { name: 'queue' },
  spec: {
    concurrency: { policy: 'Enqueue', maxConcurrency: MAX },
    template: {
      spec: {
        taskTemplate: {
          pod: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', TASK] }] } },
        },
      },
    },
  },
};

const StatusSchema = z.object({ status: z.object({ phase: z.string(), state: z.string(), createdTasks: z.number() }) });

describe.runIf(canLook)('kill -9 of the runtime while Jobs of a JobConfig wait for their turn', () => {
  test(`${JOBS} Jobs, ${MAX} at a time, five kills: never more, in order, none lost (seed ${SEED})`, {
    timeout: 3 * TEST_MS,
  }, async () => {
    const folders = someFolders();
    onTestFinished(() => {
      for (const line of processesNaming(folders.root)) killNow(Number.parseInt(line, 10));
      folders.remove();
    });
    const below = dice(SEED);
    const lines = (): readonly string[] => linesOf(folders.workspaceDir, 'out');
    const saying = (word: string): readonly string[] =>
      lines().flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
    let runtime = startRuntime(folders);
    let kube = kubeAt(await runtime.ready());
    expect(await kube.ask('POST', `${FURIKO}/jobconfigs`, CONFIG)).toMatchObject({ status: 201 });

    const creating = createInOrder(() => kube);
    const killing = (async () => {
      for (let kill = 1; kill <= KILLS; kill++) {
        // Spread over the Jobs by what they have done, not by the clock.
        const ended = Math.floor(((kill - below(100) / 100) / (KILLS + 1)) * JOBS);
        await eventually(
          () => (saying('end').length >= ended ? true : null),
          () => `${saying('end').length} of ${ended} have ended; ${runtime.said()}`,
        );
        await sleep(below(300));
        expect(saying('end').length).toBeLessThan(JOBS); // it is under way
        killNow(runtime.child.pid);
        expect(await runtime.ended).toBe('SIGKILL');
        runtime = startRuntime(folders);
        kube = kubeAt(await runtime.ready());
      }
    })();
    await Promise.all([creating, killing]);

    for (const name of NAMES) {
      const { phase, createdTasks } = await statusWhenOver(name, () => kube);
      expect({ name, phase, createdTasks }).toEqual({ name, phase: 'Succeeded', createdTasks: 1 });
    }
    expect(saying('end').toSorted()).toEqual(NAMES);
    expect(mostAtOnce(lines())).toBe(MAX);
    // Those that were let in together may start in any order.
    const moved = saying('start').map((name, nth) => Math.abs(NAMES.indexOf(name) - nth));
    expect(moved).toHaveLength(JOBS); // tasks that ran were adopted, not repeated
    expect(Math.max(...moved)).toBeLessThan(MAX);

    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
    expect(processesNaming(folders.root)).toEqual([]);
  });
});

/** Creates the Jobs one after the other, each until the API has it: a call that is refused or not answered is made again. */
async function createInOrder(kube: () => Kube): Promise<void> {
  for (const name of NAMES) {
    let said = 'nothing yet';
    await eventually(
      async () => {
        const job = { ...KIND, kind: 'Job', metadata: { name }, spec: { configName: 'queue' } };
        const answer = await kube()
          .ask('POST', `${FURIKO}/jobs`, job)
          .catch((error: unknown) => ({ status: 0, text: String(error) }));
        said = `${answer.status} ${answer.text}`;
        if (answer.status === 201 || answer.text.includes('"reason":"AlreadyExists"')) return true;
        if (answer.status === 0 || answer.status >= 500 || answer.text.includes('the queue is full')) return null;
        throw new Error(`Job ${name} is refused: ${said}`);
      },
      () => `Job ${name} is not created: ${said}`,
    );
  }
}

async function statusWhenOver(name: string, kube: () => Kube): Promise<z.output<typeof StatusSchema>['status']> {
  let seen = '';
  return eventually(
    async () => {
      seen = (await kube().ask('GET', `${FURIKO}/jobs/${name}`)).text;
      const { status } = StatusSchema.parse(JSON.parse(seen));
      return status.state === 'Finished' ? status : null;
    },
    () => `Job ${name} is ${seen}`,
  );
}

/** How many had said that they start, and not yet that they end. */
function mostAtOnce(lines: readonly string[]): number {
  const running = new Set<string>();
  let most = 0;
  for (const line of lines) {
    const [word, name = ''] = line.split(' ');
    if (word === 'start') running.add(name);
    else running.delete(name);
    most = Math.max(most, running.size);
  }
  return most;
}
