import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import type { CronJobManifest } from '../domain/cron-manifest.ts';
import type { Script } from '../../simulate/world/script.ts';
import { clockChanges } from '../domain/clock-changes.ts';
import { type CronSimulation, type JobFate, simulateCron } from '../domain/simulate-cron.ts';
import { simulateJob } from '../../simulate/world/simulate-job.ts';
import type { SimulatedLists } from '../../simulate/world/simulated-list.ts';
import { EXIT, Failure, usageFailure } from '../../../../cli/shell/failure.ts';
import { WorkBar } from '../../../../cli/follow/work-bar.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import { type SimulatedCron, cronReport, renderCronSimulation } from './cron-simulation.ts';
import { onOneLine } from '../../../../cli/text/table.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { admitted, knownSlots, sha256, timedCronOfManifest } from './timed-cron.ts';

export type CronSimulationFlags = {
  readonly file: string;
  readonly startMs: number;
  readonly seed: number;
  readonly output: ObjectForm | 'text';
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
 * @param script how the tasks of each Job end; null: each Job takes so long and succeeds
 * @returns the exit code
 */
export async function simulateCronFile(
  found: { readonly document: unknown; readonly lists: SimulatedLists; readonly script: Script | null },
  flags: CronSimulationFlags,
  shell: Shell,
): Promise<number> {
  const cron = admitted(found.document, flags.file);
  const slots = knownSlots(timedCronOfManifest(cron));
  const days = flags.days ?? DAYS;
  const start = asEpochMs(flags.startMs);
  const end = plusMs(start, days * DAY_MS);
  const fate = await fateOf(cron, start, found, flags);
  const simulation = played(cron, { start, end, fate }, days, shell);
  if (simulation === null) throw usageFailure(`it fires more than 50000 times in ${days} days: say fewer --days`);
  const simulated: SimulatedCron = {
    name: cron.metadata.name,
    namespace: cron.metadata.namespace,
    schedule: cron.spec.schedule,
    zone: slots.zone,
    start,
    end,
    simulation,
    changes: clockChanges(slots, start, end),
  };
  shell.out.write(
    flags.output === 'text' ? renderCronSimulation(simulated) : objectText(cronReport(simulated), flags.output),
  );
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
async function fateOf(
  cron: CronJobManifest,
  start: EpochMs,
  { script, lists }: { readonly script: Script | null; readonly lists: SimulatedLists },
  { takesMs, seed, file }: CronSimulationFlags,
): Promise<JobFate> {
  if (script === null) return { takesMs: takesMs ?? TAKES_MS, verdict: 'complete' };
  const { name, namespace } = cron.metadata;
  const { metadata, spec } = cron.spec.jobTemplate;
  const document = { apiVersion: 'batch/v1', kind: 'Job', metadata: { ...metadata, name, namespace }, spec };
  const simulated = await simulateJob({ document, script, seed, start, lists });
  if (simulated.kind === 'refused') {
    const lines = simulated.errors.map(({ path, message }) => onOneLine(path === '' ? message : `${path}: ${message}`));
    const what = simulated.what === 'Job' ? `the Job of ${file}` : 'the script';
    throw new Failure([`error: ${what} is refused:`, ...lines.map((line) => `* ${line}`)].join('\n'), EXIT.usage);
  }
  const { end, report } = simulated.simulation;
  switch (end.kind) {
    case 'deleted':
      throw usageFailure('the script deletes the Job: that tells nothing about the Jobs of a CronJob');
    case 'endless':
      return { takesMs: null, verdict: 'failed' };
    case 'complete':
    case 'failed':
      return { takesMs: report.makespanSec === null ? null : report.makespanSec * 1000, verdict: end.kind };
  }
}
