import { asEpochMs } from '../../../domain/base/time.ts';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { ITEM_SOURCES } from '../../lists/item-sources.ts';
import { NAMINGS } from '../../../domain/manifests/annotations/lists.ts';
import { SIMULATIONS } from '../../lists/cli/simulations.ts';
import { at } from '../../../kube/list/stored-field.ts';
import type { SimulatedLists } from '../world/simulated-list.ts';
import { isLimit } from '../world/simulated-limits.ts';
import { type Simulation, simulateJob } from '../world/simulate-job.ts';
import { NO_SCRIPT, type Script, type ScriptError, parseScript } from '../world/script.ts';
import { EXIT, Failure, usageFailure } from '../../../../cli/shell/failure.ts';
import { WorkBar } from '../../../../cli/follow/work-bar.ts';
import { readManifest, readManifests } from '../../../../cli/shell/manifest-file.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import { A_SIMULATED, SIMULATED_KINDS } from './simulated-kinds.ts';
import { renderSimulation } from './simulation.ts';
import { onOneLine } from '../../../../cli/text/table.ts';
import type { ListFlags } from '../../../../cli/run-line/line-flags.ts';
import { fileBytes } from '../../../../cli/run-line/list-file.ts';
import { itemsOfFile } from '../../../../cli/run-line/listed-items.ts';
import type { JobEnding } from '../../../../cli/shell/simulated-kind.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { themeFor } from '../../../../cli/render/theme.ts';

export type SimulateFlags = {
  /** `-`: standard input */
  readonly file: string;
  /** null: every task runs for a second and succeeds, and no user does anything */
  readonly script: string | null;
  readonly output: ObjectForm | 'text';
  readonly seed: number;
  /** When the Job is created, in milliseconds since 1970. */
  readonly startMs: number;
  /** Of a Job with `muster.run/rerun-of`: the indexes that had succeeded before; null: it is no rerun. */
  readonly succeeded: string | null;
  /** `--items @FILE` and how it is written: of a Job that names its list. */
  readonly list: ListFlags;
  /** The values of all options, by their names in the program: other kinds of objects have some of their own. */
  readonly given: Readonly<Record<string, unknown>>;
};

/** Columns to use when standard output is not a terminal. */
const COLUMNS = 100;

/**
 * `muster simulate`: simulates a Job, or another object that {@link SIMULATIONS} has, in virtual time.
 *
 * @returns the exit code: 0 if the Job is Complete and every patch was accepted; 0 for another object
 */
export async function simulate(flags: SimulateFlags, shell: Shell): Promise<number> {
  if (flags.file === '-' && flags.script === '-')
    throw usageFailure('standard input can hold the Job or the script, not both');
  const found = await readJob(flags, shell);
  const kind = at(found.document, 'kind');
  if (kind === 'JobConfig')
    throw usageFailure(
      `${flags.file} holds a JobConfig: muster simulate takes ${A_SIMULATED}; muster cron next -f shows its slots`,
    );
  const other = SIMULATIONS.find((each) => each.kind === kind);
  for (const each of SIMULATIONS) each.refuse(flags.given, each === other);
  if (other !== undefined && flags.succeeded !== null)
    throw usageFailure(`--succeeded is for a Job with ${ANNOTATIONS.rerunOf}`);
  const script = flags.script === null ? null : readScript(await readManifest(flags.script, shell), flags.script);
  if (other === undefined) return simulateOne(found, script ?? NO_SCRIPT, flags, shell);
  if (found.limits.length > 0)
    throw usageFailure(`a ResourceQuota and a LimitRange are simulated beside a Job, not beside a ${other.kind}`);
  const { file, startMs, output } = flags;
  const endOf = script === null ? null : async (job: object) => endOfOne(job, found, script, flags);
  return other.run({ document: found.document, file, startMs, output, endOf }, flags.given, shell);
}

/** How a Job of another object ends by the script. */
async function endOfOne(
  document: object,
  { lists }: Found,
  script: Script,
  { file, seed, startMs }: SimulateFlags,
): Promise<JobEnding> {
  const simulated = await simulateJob({ document, script, seed, start: asEpochMs(startMs), lists });
  if (simulated.kind === 'refused') {
    const lines = simulated.errors.map(({ path, message }) => onOneLine(path === '' ? message : `${path}: ${message}`));
    const what = simulated.what === 'Job' ? `the Job of ${file}` : 'the script';
    throw new Failure([`error: ${what} is refused:`, ...lines.map((line) => `* ${line}`)].join('\n'), EXIT.usage);
  }
  const { end, report } = simulated.simulation;
  switch (end.kind) {
    case 'deleted':
      return { kind: 'deleted' };
    case 'endless':
      return { kind: 'failed', takesMs: null };
    case 'complete':
    case 'failed':
      return { kind: end.kind, takesMs: report.makespanSec === null ? null : report.makespanSec * 1000 };
  }
}

async function simulateOne(
  { document, lists, limits }: Found,
  script: Script,
  flags: SimulateFlags,
  shell: Shell,
): Promise<number> {
  const { seed, startMs, succeeded } = flags;
  const before = succeeded === null ? {} : { succeededBefore: succeeded };
  const bar = new WorkBar(shell, null);
  const progress = (done: number, total: number | null): void => bar.show({ done, total, text: 'succeeded' });
  const start = asEpochMs(startMs);
  const simulated = await simulateJob({ document, script, seed, start, lists, limits, progress, ...before });
  bar.close();
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

type Found = {
  readonly document: unknown;
  readonly lists: SimulatedLists;
  readonly limits: readonly unknown[];
};

/** The only Job of the file, what it names (lists beside it, or the items of `--items`), and what limits its namespace. */
async function readJob({ file, script, list }: SimulateFlags, shell: Shell): Promise<Found> {
  const manifests = (await readManifests(file, shell)).map(({ value }) => value);
  const [document, ...others] = manifests.filter((value) => !isList(value) && !isLimit(value));
  if (document === undefined || others.length > 0)
    throw notOneJob(file, document === undefined ? 'no Job' : `${manifests.length} objects`);
  const fromStdin = list.items === '@-' && (file === '-' || script === '-');
  if (fromStdin) throw usageFailure('standard input can hold the Job, the script, or the items, not two of them');
  const stdin = list.items === '@-' ? await shell.readStdinBytes() : null;
  const read = (name: string): Uint8Array => stdin ?? fileBytes(name, shell);
  const items = list.items === undefined ? null : itemsOfFile(list.items, list, read).list;
  return { document, lists: { documents: manifests.filter(isList), items }, limits: manifests.filter(isLimit) };
}

const isList = (value: unknown): boolean => ITEM_SOURCES.some(({ kind }) => kind === at(value, 'kind'));

const notOneJob = (file: string, what: string): Failure => {
  const name = file === '-' ? 'standard input' : file;
  const taken = [`one ${SIMULATED_KINDS.join(' or ')}`, ...NAMINGS.map(({ names }) => `the ${names} that it names`)];
  return new Failure(
    `error: ${name} has ${what}; simulate takes ${taken.join(', ')}, and ResourceQuotas and LimitRanges`,
    EXIT.usage,
  );
};

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
