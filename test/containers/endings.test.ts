import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someFolders } from '../e2e/a-local-runtime.ts';
import { killNow, spawnRuntime, startRuntime } from '../e2e/a-runtime-process.ts';
import { eventually, kubeAt, linesOf, shellJob } from '../e2e/kube-calls.ts';
import {
  type ADockerRuntime,
  BUSYBOX,
  aDockerRuntime,
  containersOf,
  PATIENT,
  hasEngine,
  oneJob,
  podsOf,
  shell,
} from './a-docker-runtime.ts';
import { type AnEngine, anEngine, anImage, anImageBy } from './an-engine.ts';

describe.runIf(hasEngine)('how a container ends', PATIENT, () => {
  let engine: AnEngine;
  let runtime: ADockerRuntime;
  const lines = (file: string): readonly string[] => linesOf(runtime.folders.workspaceDir, file);
  const untilSaid = async (file: string, line: string): Promise<unknown> =>
    eventually(
      () => (lines(file).includes(line) ? true : null),
      () => `${file}: ${lines(file).join()}; ${runtime.process().said()}`,
    );
  const untilGone = async (job: string): Promise<unknown> =>
    eventually(
      async () => ((await podsOf(runtime.kube, job)).length === 0 ? true : null),
      () => `the Pods of ${job} are still there`,
    );

  beforeAll(async () => {
    engine = await anEngine();
    await anImage(engine, BUSYBOX);
    await anImageBy(engine, 'muster-test/quit:1', `FROM ${BUSYBOX}\nSTOPSIGNAL SIGQUIT\n`);
    runtime = await aDockerRuntime(engine);
  });

  afterAll(async () => {
    await runtime?.remove();
    await engine?.remove();
  });

  test('the container of a deleted Job gets SIGTERM, and has its grace to end', async () => {
    const script =
      'trap "sleep 1; echo ended >> /workspace/term; exit 0" TERM; echo up >> term; while :; do sleep 0.1; done';
    await runtime.kube.create(oneJob('term', [shell(script, { workingDir: '/workspace' })]));
    await untilSaid('term', 'up');
    await runtime.kube.remove('term');
    await untilSaid('term', 'ended');
    expect(lines('term')).toEqual(['up', 'ended']);
  });

  test('one that does not end within its grace is killed', async () => {
    const script = `trap "echo asked >> /workspace/kill" TERM; echo up >> /workspace/kill; while :; do sleep 0.1; done`;
    const pod = { terminationGracePeriodSeconds: 2 };
    await runtime.kube.create(oneJob('kill', [shell(script)], pod));
    await untilSaid('kill', 'up');
    expect(await containersOf(engine, 'main')).toHaveLength(1);
    await runtime.kube.remove('kill');
    await eventually(
      async () => ((await containersOf(engine, 'main')).length === 0 ? true : null),
      () => 'the container is still there',
    );
    expect(lines('kill')).toEqual(['up', 'asked']);
    await untilGone('kill');
  });

  test('an image with a STOPSIGNAL gets that one', async () => {
    const script = `trap "echo SIGQUIT >> /workspace/quit; exit 0" QUIT
      trap "echo SIGTERM >> /workspace/quit; exit 0" TERM; echo up >> /workspace/quit; while :; do sleep 0.1; done`;
    await runtime.kube.create(oneJob('quit', [shell(script, { image: 'muster-test/quit:1' })]));
    await untilSaid('quit', 'up');
    await runtime.kube.remove('quit');
    await untilSaid('quit', 'SIGQUIT');
    expect(lines('quit')).toEqual(['up', 'SIGQUIT']);
  });

  for (const [what, request] of [
    ['removed', (id: string) => ({ method: 'DELETE', path: `/containers/${id}`, query: { force: 1 } }) as const],
    ['stopped', (id: string) => ({ method: 'POST', path: `/containers/${id}/kill` }) as const],
  ] as const)
    test(`a container that somebody has ${what} runs again without an attempt spent, and is counted once`, async () => {
      const script = `echo "run $MUSTER_ATTEMPT" >> /workspace/${what}
        while [ ! -e /workspace/${what}-go ]; do sleep 0.1; done; echo done`;
      // backoffLimit 0: one failure that counts would fail the Job
      await runtime.kube.create(oneJob(what, [shell(script)]));
      await eventually(
        () => (lines(what).length === 1 ? true : null),
        () => runtime.process().said(),
      );
      const [id = ''] = await containersOf(engine, 'main');
      await engine.api.ask(request(id));
      await eventually(
        () => (lines(what).length === 2 ? true : null),
        () => runtime.process().said(),
      );
      writeFileSync(join(runtime.folders.workspaceDir, `${what}-go`), '');
      const job = await runtime.kube.ended(what);
      expect(job.status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
      const failed = (await podsOf(runtime.kube, what)).filter(({ status }) => status.phase === 'Failed');
      expect(failed).toHaveLength(1);
      // A removal by force stops it first, and is seen as either.
      expect(failed[0]?.status.message).toMatch(/container main was (removed from|stopped in) the container engine/);
      expect(failed[0]?.status.conditions.map(({ type }) => type)).toContain('DisruptionTarget');
    });

  test('a runtime is refused where no engine answers, with a sentence', async () => {
    const folders = someFolders();
    const refused = startRuntime(folders, { dockerHost: `unix://${folders.root}/none.sock` });
    expect(await refused.ended).toBe(1);
    expect(refused.said()).toContain('the container engine does not answer: start it');
    expect(refused.said()).toContain('DOCKER_HOST');
    folders.remove();
  });

  test('a folder on which processes of tasks still run is refused', async () => {
    const folders = someFolders();
    const before = startRuntime(folders);
    await kubeAt(await before.ready()).create(shellJob('processes', 'echo up >> up; exec sleep 600'));
    await eventually(
      () => (linesOf(folders.workspaceDir, 'up').length > 0 ? true : null),
      () => before.said(),
    );
    killNow(before.child.pid);
    await before.ended;
    const refused = spawnRuntime(folders, { dockerHost: engine.host });
    expect(await refused.ended).toBe(1);
    expect(refused.said()).toMatch(/1 task of the runtime before, with --driver process, may still run/);
    const after = startRuntime(folders);
    await after.ready();
    after.child.kill('SIGTERM');
    expect(await after.ended).toBe(0);
    folders.remove();
  });
});
