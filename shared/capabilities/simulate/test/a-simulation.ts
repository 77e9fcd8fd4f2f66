import { asEpochMs } from '../../../domain/base/time.ts';
import type { Report } from '../world/report.ts';
import { type Simulation, simulateJob } from '../world/simulate-job.ts';
import { parseScript } from '../world/script.ts';

/** A midnight, so that times of conditions are read off easily. */
export const START = asEpochMs(Date.parse('2026-01-01T00:00:00Z'));

/** A manifest with one container; what a test does not care about is left out. */
export const aManifest = (spec: Readonly<Record<string, unknown>>, pod: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work' },
  spec: {
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }], ...pod } },
  },
});

/** An Indexed Job of `completions`, all at once unless the spec says otherwise. */
export const indexed = (completions: number, spec: Readonly<Record<string, unknown>> = {}) =>
  aManifest({ completionMode: 'Indexed', completions, parallelism: completions, ...spec });

/** Simulates a Job under a script as it would stand in a file. Throws where either is refused. */
export async function play(
  document: unknown,
  script: unknown = {},
  {
    seed = 1,
    ...wish
  }: { readonly seed?: number; readonly horizonMs?: number; readonly succeededBefore?: string } = {},
): Promise<Simulation> {
  const parsed = parseScript(script);
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.errors));
  const simulated = await simulateJob({ document, script: parsed.script, seed, start: START, ...wish });
  if (simulated.kind === 'refused') throw new Error(JSON.stringify(simulated.errors));
  return simulated.simulation;
}

/** `Complete CompletionsReached`, for each condition that holds. */
export const conditionsOf = (status: Report['final']): readonly string[] =>
  (status.conditions ?? []).filter((each) => each.status === 'True').map(({ type, reason }) => `${type} ${reason}`);

/** Tasks as `index/attempt start-end cause code`. */
export const tasksOf = ({ attempts }: Report): readonly string[] =>
  attempts.map(
    ({ index, attempt, startSec, endSec, cause, exitCode }) =>
      `${index}/${attempt} ${startSec ?? '·'}-${endSec ?? '·'} ${cause} ${exitCode ?? '·'}`,
  );

/** Events as `at reason message`, each kind of Pod event once an entry, with how often it comes. */
export function eventsOf({ timeline }: Report): readonly string[] {
  return timeline.flatMap(({ atSec, events }) => {
    const lines: string[] = [];
    for (const reason of ['SuccessfulDelete', 'SuccessfulCreate']) {
      const count = events.filter((event) => event.reason === reason).length;
      if (count > 0) lines.push(`${atSec} ${reason} ${count}`);
    }
    for (const { reason, message } of events)
      if (reason !== 'SuccessfulCreate' && reason !== 'SuccessfulDelete') lines.push(`${atSec} ${reason} ${message}`);
    return lines;
  });
}
