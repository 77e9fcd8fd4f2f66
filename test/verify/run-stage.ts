import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HAS_PROC, allPids, commandLine } from '../../local/process-table.ts';
import type { Stage } from './stages.ts';
import { type StageResult, countsOf, resultOf } from './summary.ts';

export type StageOptions = {
  /** Where its log and its report go. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends what hangs. */
  readonly limitSec: number;
  readonly signal: AbortSignal;
  /** How long a process that was just asked to end may take; 2 minutes by default, for a busy machine. */
  readonly leaveWithinMs?: number;
};

const LEAVE_WITHIN_MS = 120_000;
const LOOK_MS = 200;
/** How long its pipes are read after its end: what it has left running may hold them for ever. */
const LAST_WORDS_MS = 2_000;

/**
 * Runs a stage in a process group of its own, shows what it prints, and keeps it in `<folder>/<stage>.log`. A stage that leaves a
 * process running on its temporary folder has failed; the process is ended by its pid.
 */
export async function runStage({ name, command }: Stage, options: StageOptions): Promise<StageResult> {
  const { folder, env, limitSec, signal } = options;
  const startedMs = performance.now();
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'muster-stage-')));
  const report = join(folder, `${name}.json`);
  rmSync(report, { force: true });
  const log = createWriteStream(join(folder, `${name}.log`));
  try {
    const [program = '', ...words] = [...command, ...reporting(command, report)];
    const child = spawn(program, words, {
      env: { ...process.env, ...env, TMPDIR: scratch },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        process.stdout.write(part);
        log.write(part);
      });
    const closed = once(child, 'close');
    const exitCode = await endOf(child, limitSec, signal);
    await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
    const left = await leftRunning(scratch, signal.aborted ? 0 : (options.leaveWithinMs ?? LEAVE_WITHIN_MS));
    const counts = existsSync(report) ? countsOf(JSON.parse(readFileSync(report, 'utf8'))) : null;
    const result = resultOf(name, exitCode, counts, (performance.now() - startedMs) / 1000);
    if (left.length === 0) return result;
    const { failed, reds } = result;
    return {
      ...result,
      outcome: 'failed',
      failed: failed + 1,
      reds: [...reds, ...left.map((each) => `left running: ${each}`)],
    };
  } finally {
    await finished(log.end());
    rmSync(scratch, { recursive: true, force: true });
  }
}

const reporting = (command: readonly string[], report: string): readonly string[] =>
  command.includes('vitest')
    ? ['--reporter=./test/support/folder-reporter.ts', '--reporter=json', `--outputFile.json=${report}`]
    : [];

/** Its exit code; null if a signal ended it. */
async function endOf(child: ChildProcess, limitSec: number, signal: AbortSignal): Promise<number | null> {
  const end = (): void => {
    if (child.pid !== undefined) endNow(-child.pid);
  };
  const limit = setTimeout(end, limitSec * 1000);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('exit', resolve);
    });
  } finally {
    clearTimeout(limit);
    signal.removeEventListener('abort', end);
  }
}

/** Ends a process, or a group if the number is negative. */
function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** What still runs on data below the folder once what was asked to end has had its time; all of it is ended. */
async function leftRunning(folder: string, withinMs: number): Promise<readonly string[]> {
  if (!HAS_PROC) return [];
  const giveUpMs = performance.now() + withinMs;
  let left = runningOn(folder);
  while (left.length > 0 && performance.now() < giveUpMs) {
    await sleep(LOOK_MS);
    left = runningOn(folder);
  }
  for (const { pid } of left) endNow(pid);
  return left.map(({ pid, words }) => `${pid} ${words}`);
}

function runningOn(folder: string): readonly { readonly pid: number; readonly words: string }[] {
  return allPids().flatMap((pid) => {
    const words = commandLine(pid)?.replaceAll('\0', ' ').trim() ?? '';
    return words.includes(folder) || workingFolderOf(pid)?.startsWith(folder) === true ? [{ pid, words }] : [];
  });
}

function workingFolderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
