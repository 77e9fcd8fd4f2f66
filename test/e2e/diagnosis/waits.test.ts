import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { runCommandLine } from '../../../cli/program/program.ts';
import type { LocalOptions } from '../../../local/runtime.ts';
import { aShell } from '../../cli/a-shell.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { TEST_MS, eventually, indexed, shellJob } from '../kube-calls.ts';

// What waits, on a runtime whose launches are slow, throttled or refused. Simulated tasks; their lengths do not matter.

let local: ALocalRuntime | null = null;
afterEach(async () => {
  await local?.close();
  local = null;
});

const WaitsSchema = z.object({
  summary: z.string().nullable(),
  waits: z.array(
    z.object({
      cause: z.string(),
      count: z.number(),
      message: z.string(),
      etaSeconds: z.number().nullable(),
      nextTrySeconds: z.number().nullable(),
    }),
  ),
});
const PodsSchema = z.object({
  items: z.array(
    z.object({
      status: z.object({
        phase: z.string(),
        message: z.string().optional(),
        conditions: z.array(z.looseObject({ type: z.string(), reason: z.string().optional() })).default([]),
      }),
    }),
  ),
});

async function runtime(options: Partial<LocalOptions>) {
  const started = await aLocalRuntime({ driver: 'simulated', ...options });
  local = started;
  const { kube } = started;
  const read = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> =>
    schema.parse(JSON.parse((await kube.ask('GET', path)).text));
  return {
    kube,
    waits: async (job: string) => read(`/muster/v1/namespaces/default/jobs/${job}/waits`, WaitsSchema),
    /** `reason: message` of the Pods that are not scheduled. */
    unscheduled: async (job: string): Promise<readonly string[]> => {
      const { items } = await read(`/api/v1/namespaces/default/pods?labelSelector=job-name%3D${job}`, PodsSchema);
      return items.flatMap(({ status: { phase, message, conditions } }) => {
        const reason = conditions.find(({ type }) => type === 'PodScheduled')?.reason;
        return phase === 'Pending' && reason !== undefined ? [`${reason}: ${message}`] : [];
      });
    },
    muster: async (line: string): Promise<string> => {
      const shell = aShell({ cwd: started.workspaceDir });
      expect(await runCommandLine(['--kubeconfig', started.runtime.kubeconfig, ...line.split(' ')], shell.shell)).toBe(
        0,
      );
      return shell.out();
    },
  };
}

const job = (name: string, completions: number, parallelism: number): object =>
  shellJob(name, 'true', indexed(completions, parallelism));

test('the launch rate, with a time that the Job keeps to', { timeout: TEST_MS }, async () => {
  const { kube, waits, unscheduled, muster } = await runtime({ launchesPerSec: 2 });
  await kube.create(job('slow', 40, 35));
  let seen: z.output<typeof WaitsSchema> | null = null;
  const found = await eventually(
    async () => {
      seen = await waits('slow');
      return seen.waits.find(({ cause, count }) => cause === 'launchRate' && count >= 15) ?? null;
    },
    () => JSON.stringify(seen),
  );
  const askedAt = performance.now();
  expect(found.message).toBe('launch rate 2/s');
  expect(found.etaSeconds).toBeGreaterThanOrEqual(Math.floor(found.count / 2));
  // Pods are shown once the feed has them, which is a moment after the Job's waits are known.
  await eventually(
    async () =>
      (await unscheduled('slow')).find((text) => /^LaunchRateLimited: launch rate 2\/s, about \d+ s$/.test(text)) ??
      null,
    () => 'no Pod says that it waits for the launch rate',
  );
  expect(await muster('get slow')).toMatch(
    /^WAITING +CAUSE +HOW LONG +WHY\n\d+ +launchRate +about \d+ s +launch rate 2\/s$/m,
  );

  await kube.ended('slow');
  const tookSec = (performance.now() - askedAt) / 1000;
  // Never much sooner, for the rate holds; how much later is the machine's affair.
  expect(tookSec).toBeGreaterThan((found.etaSeconds ?? 0) * 0.5 - 3);
  expect(await waits('slow')).toEqual({ summary: null, waits: [] });
});

test('a quota: what does not fit says so, and when it is tried again', { timeout: TEST_MS }, async () => {
  const { kube, waits, unscheduled, muster } = await runtime({
    quota: { tasks: 2 },
    script: { decide: () => ({ runMs: Number.POSITIVE_INFINITY }) },
  });
  const quota = 'You’ve reached the limit on the number of tasks you can run concurrently';
  await kube.create(job('many', 6, 5));
  let seen: unknown = null;
  await eventually(
    async () => {
      const answer = await waits('many');
      seen = answer;
      return answer.waits.find(({ cause, count }) => cause === 'quota' && count === 3) ?? null;
    },
    () => JSON.stringify(seen),
  );
  expect((await waits('many')).waits).toMatchObject([
    { cause: 'quota', count: 3, message: quota, etaSeconds: null, nextTrySeconds: expect.any(Number) as unknown },
    { cause: 'parallelism', count: 1 },
  ]);
  const pods = await eventually(
    async () => {
      const listed = await unscheduled('many');
      return listed.length === 3 ? listed : null;
    },
    () => 'three Pods do not say that they are unschedulable',
  );
  for (const pod of pods) expect(pod).toMatch(new RegExp(`^Unschedulable: ${quota}, next try in about \\d+ (s|min)$`));
  expect(await muster('get waits many')).toContain(quota);

  await kube.remove('many');
  expect((await kube.ask('GET', '/muster/v1/namespaces/default/jobs/many/waits')).status).toBe(404);
});

test('a throttle that cuts the rate', { timeout: TEST_MS }, async () => {
  const { kube, waits } = await runtime({
    launchesPerSec: 20,
    limits: { fargateRunTask: { burst: 1, perSec: 1 } },
  });
  await kube.create(job('cut', 200, 200));
  let seen: unknown = null;
  const found = await eventually(
    async () => {
      const answer = await waits('cut');
      seen = answer;
      return answer.waits.find(({ cause }) => cause === 'throttled') ?? null;
    },
    () => JSON.stringify(seen),
  );
  expect(found.message).toMatch(/^ECS throttles: [\d.]+\/s of 20\/s$/);
  expect(found.etaSeconds).toBeGreaterThan(Math.floor(found.count / 20));
});
