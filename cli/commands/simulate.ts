import { asEpochMs } from '../../shared/domain/base/time.ts';
import { type Simulation, simulateJob } from '../../shared/simulate/simulate-job.ts';
import { NO_SCRIPT, type Script, type ScriptError, parseScript } from '../../shared/simulate/script.ts';
import { EXIT, Failure, usageFailure } from '../failure.ts';
import { themeFor } from '../follow/job-view.ts';
import { readManifest } from '../manifest-file.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { objectText } from '../render/object-text.ts';
import { renderSimulation } from '../render/simulation.ts';
import { onOneLine } from '../render/table.ts';
import type { Shell } from '../shell.ts';

export type SimulateFlags = {
  /** `-`: standard input */
  readonly file: string;
  /** null: every task runs for a second and succeeds, and no user does anything */
  readonly script: string | null;
  readonly output: ObjectForm | 'text';
  readonly seed: number;
  /** When the Job is created, in milliseconds since 1970. */
  readonly startMs: number;
};

/** Columns to use when standard output is not a terminal. */
const COLUMNS = 100;

/**
 * `muster simulate`: simulates a Job in virtual time.
 *
 * @returns the exit code: 0 if the Job is Complete and every patch was accepted
 */
export async function simulate(flags: SimulateFlags, shell: Shell): Promise<number> {
  if (flags.file === '-' && flags.script === '-')
    throw usageFailure('standard input can hold the Job or the script, not both');
  const document = await readManifest(flags.file, shell);
  const script = flags.script === null ? NO_SCRIPT : readScript(await readManifest(flags.script, shell), flags.script);
  const { seed, startMs } = flags;
  const simulated = await simulateJob({ document, script, seed, start: asEpochMs(startMs) });
  if (simulated.kind === 'refused')
    throw refused(simulated.what === 'Job' ? flags.file : (flags.script ?? ''), simulated.errors);
  const { simulation } = simulated;
  for (const warning of simulation.warnings) shell.err.write(`Warning: ${onOneLine(warning)}\n`);
  if (flags.output !== 'text') shell.out.write(objectText(simulation.report, flags.output));
  else {
    const columns = shell.out.terminal?.size().columns ?? COLUMNS;
    shell.out.write(`${renderSimulation(simulation, columns, themeFor(shell.out, shell.env)).join('\n')}\n`);
  }
  if (simulation.end.kind === 'endless') shell.err.write(`still ${stateOf(simulation)}: ${simulation.end.waitsFor}\n`);
  return simulation.end.kind === 'complete' && !simulation.patchRefused ? EXIT.ok : EXIT.failed;
}

const stateOf = ({ report }: Simulation): string =>
  report.final.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') === true
    ? 'suspended'
    : 'running';

function readScript(document: unknown, file: string): Script {
  const parsed = parseScript(document);
  if (parsed.kind === 'refused') throw refused(file, parsed.errors);
  return parsed.script;
}

/** All faults of one file, one per line. */
function refused(file: string, errors: readonly ScriptError[]): Failure {
  const lines = errors.map(({ path, message }) => onOneLine(path === '' ? message : `${path}: ${message}`));
  const head = `error: ${file === '-' ? 'standard input' : file} is refused:`;
  return new Failure(
    lines.length === 1 ? `${head} ${lines[0]}` : [head, ...lines.map((l) => `* ${l}`)].join('\n'),
    EXIT.usage,
  );
}
