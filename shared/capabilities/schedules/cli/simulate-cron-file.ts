import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import type { CronJobManifest } from '../domain/cron-manifest.ts';
import { clockChanges } from '../domain/clock-changes.ts';
import { type CronSimulation, type JobFate, simulateCron } from '../domain/simulate-cron.ts';
import { EXIT, usageFailure } from '../../../../cli/shell/failure.ts';
import { WorkBar } from '../../../../cli/follow/work-bar.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import { type SimulatedCron, cronReport, renderCronSimulation } from './cron-simulation.ts';
import type { Simulated } from '../../../../cli/shell/simulated-kind.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { admitted, knownSlots, sha256, timedCronOfManifest } from './timed-cron.ts';

export type CronSimulationFlags = {
  /** null: {@link DAYS} */
  readonly days: number | null;
  /** null: {@link TAKES_MS}, or what the script says */
  readonly takesMs: number | null;
};

const DAYS = 30;
const DAY_MS = 86_400_000;
const TAKES_MS = 60_000;

/**
 * `muster simulate` of a CronJob: which of its slots get a Job, and why others do not.
 *
 * @returns the exit code
 */
export async function simulateCronFile(
  simulated: Simulated,
  flags: CronSimulationFlags,
  shell: Shell,
): Promise<number> {
  const { document, file, startMs, output } = simulated;
  const cron = admitted(document, file);
  const slots = knownSlots(timedCronOfManifest(cron));
  const days = flags.days ?? DAYS;
  const start = asEpochMs(startMs);
  const end = plusMs(start, days * DAY_MS);
  const fate = await fateOf(cron, simulated, flags);
  const simulation = played(cron, { start, end, fate }, days, shell);
  if (simulation === null) throw usageFailure(`it fires more than 50000 times in ${days} days: say fewer --days`);
  const shown: SimulatedCron = {
    name: cron.metadata.name,
    namespace: cron.metadata.namespace,
    schedule: cron.spec.schedule,
    zone: slots.zone,
    start,
    end,
    simulation,
    changes: clockChanges(slots, start, end),
  };
  shell.out.write(output === 'text' ? renderCronSimulation(shown) : objectText(cronReport(shown), output));
  return EXIT.ok;
}

function played(
  cron: CronJobManifest,
  { start, end, fate }: { readonly start: EpochMs; readonly end: EpochMs; readonly fate: JobFate },
  days: number,
  shell: Shell,
): CronSimulation | null {
  const bar = new WorkBar(shell, null);
  const progress = (now: EpochMs): void =>
    bar.show({ done: Math.floor((now - start) / DAY_MS), total: days, text: 'days' });
  try {
    return simulateCron({ cron, start, end, fate, hash: sha256, progress });
  } finally {
    bar.close();
  }
}

/** With a script, the template's Job is simulated once: all Jobs take as long, and end alike. */
async function fateOf(cron: CronJobManifest, { endOf }: Simulated, { takesMs }: CronSimulationFlags): Promise<JobFate> {
  if (endOf === null) return { takesMs: takesMs ?? TAKES_MS, verdict: 'complete' };
  const { name, namespace } = cron.metadata;
  const { metadata, spec } = cron.spec.jobTemplate;
  const end = await endOf({ apiVersion: 'batch/v1', kind: 'Job', metadata: { ...metadata, name, namespace }, spec });
  if (end.kind === 'deleted')
    throw usageFailure('the script deletes the Job: that tells nothing about the Jobs of a CronJob');
  return { takesMs: end.takesMs, verdict: end.kind };
}
