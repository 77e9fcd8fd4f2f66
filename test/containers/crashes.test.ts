import { describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { dice } from '../support/arbitrary-board.ts';
import { indexOf, indexed, linesOf, shellJob } from '../e2e/kube-calls.ts';
import { hasEngine, leftIn, PATIENT, podsOf, shell, withDocker } from './a-docker-runtime.ts';

/** Another seed kills at other moments: SEED=7 INDEXES=500 VICTIMS=engine,engine npx vitest run test/containers/crashes.test.ts */
const SEED = Number(process.env['SEED'] ?? 1);
const INDEXES = Number(process.env['INDEXES'] ?? 60);
const LINES = 10;
/** Says in the workspace that this attempt runs, and prints numbered lines; the kills come while it does. */
const TASK = `echo "$JOB_COMPLETION_INDEX $MUSTER_ATTEMPT" >> /workspace/runs
  for i in $(seq ${LINES}); do echo "line $i of $JOB_COMPLETION_INDEX/$MUSTER_ATTEMPT"; [ $i -le 7 ] || sleep 0.7; done`;
const VICTIMS = (process.env['VICTIMS'] ?? 'runtime,engine,runtime,engine,both,runtime').split(',');
/** A busy machine starts one container a second. */
const TIMEOUT_MS = Math.max(PATIENT.timeout, INDEXES * 2_000);

describe.runIf(hasEngine)('kill -9 of the runtime and of the engine', { timeout: TIMEOUT_MS }, () => {
  const docker = withDocker();

  test(`${INDEXES} indexes are counted once, no program runs twice in one attempt, no line is lost (seed ${SEED})`, async () => {
    const below = dice(SEED);
    const runs = (): readonly string[] => linesOf(docker.runtime.folders.workspaceDir, 'runs');
    // One failure that counts would fail the Job: what was lost with the engine spends no attempt.
    const spec = { ...indexed(INDEXES, 12), backoffLimit: 0 };
    await docker.runtime.kube.create(shellJob('sums', '', spec, { containers: [shell(TASK)] }));
    for (const [n, victim] of VICTIMS.entries()) {
      const begun = Math.floor(((n + below(100) / 100) * 0.9 * INDEXES) / VICTIMS.length);
      while (runs().length < begun) await sleep(100);
      await sleep(below(1000));
      if (victim !== 'runtime') await docker.engine.kill();
      const back = victim === 'runtime' ? null : sleep(below(1500)).then(async () => docker.engine.start());
      if (victim === 'both') await back; // no runtime starts without an engine
      if (victim !== 'engine') await docker.runtime.killAndStart();
      await back;
    }

    while (runs().length < INDEXES) await sleep(1000); // the test's own time limit is the only one
    const job = await docker.runtime.kube.ended('sums');
    expect(job.status).toMatchObject({
      succeeded: INDEXES,
      failed: 0,
      active: 0,
      completedIndexes: `0-${INDEXES - 1}`,
    });
    const twice = runs().filter((run, at) => runs().indexOf(run) !== at);
    expect(twice, docker.runtime.process().said()).toEqual([]);
    const pods = await podsOf(docker.runtime.kube, 'sums');
    const succeeded = pods.filter(({ status }) => status.phase === 'Succeeded');
    expect(succeeded.map((pod) => indexOf({ ...pod, status: { phase: '' } })).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: INDEXES }, (_, index) => index),
    );
    for (const { metadata, status } of pods) {
      const said = (await docker.runtime.kube.log(metadata.name)).split('\n').slice(0, -1);
      const attempt = /\/\d+$/.exec(said[0] ?? '')?.[0] ?? '';
      const index = metadata.annotations['batch.kubernetes.io/job-completion-index'] ?? '';
      const whole = Array.from({ length: LINES }, (_, at) => `line ${at + 1} of ${index}${attempt}`);
      expect(said).toEqual(status.phase === 'Succeeded' ? whole : whole.slice(0, said.length));
      if (status.phase === 'Succeeded') continue;
      expect(status.phase).toBe('Failed');
      expect(status.message).toMatch(/InternalError: the container engine ended/);
    }
    process.stderr.write(`${runs().length} runs, ${pods.length - succeeded.length} tasks lost with the engine\n`);
    expect(await docker.runtime.stop()).toBe(0);
    expect(await leftIn(docker.engine)).toEqual([]);
  });
});
