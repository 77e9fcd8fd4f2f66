import { asEpochMs } from '../../shared/domain/brand.ts';
import { type Rehearsal, rehearse } from '../../shared/rehearsal/rehearse.ts';
import { NO_SCRIPT, type Script, type ScriptFault, parseScript } from '../../shared/rehearsal/script.ts';
import { EXIT, Failure, usageFailure } from '../failure.ts';
import { looksFor } from '../job-view.ts';
import { readManifest } from '../manifest-file.ts';
import { type ObjectForm, objectText } from '../render/object-forms.ts';
import { renderRehearsal } from '../render/rehearsal.ts';
import { onOneLine } from '../render/table.ts';
import type { Shell } from '../shell.ts';

export type SimulateFlags = {
  /** `-`: standard input */
  readonly file: string;
  /** null: every task runs for a second and ends well, and nobody does anything */
  readonly script: string | null;
  readonly output: ObjectForm | 'text';
  readonly seed: number;
  /** When the Job is created, in milliseconds since 1970. */
  readonly startMs: number;
};

/** Where standard output is no terminal. */
const COLUMNS = 100;

/**
 * `muster simulate`: rehearses a Job in virtual time.
 *
 * @returns the exit code: 0 when the Job is Complete and every patch was taken
 */
export async function simulate(flags: SimulateFlags, shell: Shell): Promise<number> {
  if (flags.file === '-' && flags.script === '-')
    throw usageFailure('standard input holds the Job or the script, not both');
  const document = await readManifest(flags.file, shell);
  const script = flags.script === null ? NO_SCRIPT : readScript(await readManifest(flags.script, shell), flags.script);
  const { seed, startMs } = flags;
  const rehearsed = await rehearse({ document, script, seed, start: asEpochMs(startMs) });
  if (rehearsed.kind === 'refused')
    throw refused(rehearsed.what === 'Job' ? flags.file : (flags.script ?? ''), rehearsed.faults);
  const { rehearsal } = rehearsed;
  for (const warning of rehearsal.warnings) shell.err.write(`Warning: ${onOneLine(warning)}\n`);
  if (flags.output !== 'text') shell.out.write(objectText(rehearsal.report, flags.output));
  else {
    const columns = shell.out.terminal?.size().columns ?? COLUMNS;
    shell.out.write(`${renderRehearsal(rehearsal, columns, looksFor(shell.out, shell.env)).join('\n')}\n`);
  }
  if (rehearsal.end.kind === 'endless') shell.err.write(`still ${stateOf(rehearsal)}: ${rehearsal.end.waitsFor}\n`);
  return rehearsal.end.kind === 'complete' && !rehearsal.patchRefused ? EXIT.ok : EXIT.failed;
}

const stateOf = ({ report }: Rehearsal): string =>
  report.final.conditions?.some(({ type, status }) => type === 'Suspended' && status === 'True') === true
    ? 'suspended'
    : 'running';

function readScript(document: unknown, file: string): Script {
  const parsed = parseScript(document);
  if (parsed.kind === 'refused') throw refused(file, parsed.faults);
  return parsed.script;
}

/** All that is wrong with one file, one a line. */
function refused(file: string, faults: readonly ScriptFault[]): Failure {
  const lines = faults.map(({ path, message }) => onOneLine(path === '' ? message : `${path}: ${message}`));
  const head = `error: ${file === '-' ? 'standard input' : file} is refused:`;
  return new Failure(
    lines.length === 1 ? `${head} ${lines[0]}` : [head, ...lines.map((l) => `* ${l}`)].join('\n'),
    EXIT.usage,
  );
}
