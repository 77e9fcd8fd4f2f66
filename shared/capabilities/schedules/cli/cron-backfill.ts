import type { EpochMs } from '../../../domain/base/time.ts';
import { BACKFILL_LABEL } from '../domain/job-of-slot.ts';
import { reach, reachAgain, type ChangeFlags } from '../../../../cli/client/reach.ts';
import { type BackfillContext, lookAtSlots, runSlots } from './backfill-run.ts';
import { type SlotStanding, backfillObject, countStates, dryTable, slotsOfRange, sumText } from './backfill-slots.ts';
import { cronNamed } from './named-cron.ts';
import { timedCronOf } from './timed-cron.ts';
import { EXIT, Failure } from '../../../../cli/shell/failure.ts';
import { EXIT_BY_SIGNAL } from '../../../../cli/follow/wait-for-job.ts';
import { WorkBar } from '../../../../cli/follow/work-bar.ts';
import type { RangeEnd } from '../../../../cli/shell/option-values.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import { shellQuoted } from '../../../../cli/text/shell-quoted.ts';
import type { Shell, Signal } from '../../../../cli/shell/shell.ts';

export type BackfillFlags = ChangeFlags & {
  readonly from: RangeEnd;
  readonly to: RangeEnd;
  /** Jobs at a time. */
  readonly parallel: number;
  /** Say what would be created, create nothing. */
  readonly isDry: boolean;
  /** null: text for people */
  readonly output: ObjectForm | null;
};

const LINE_EVERY_MS = 10_000;
const TICK_MS = 500;
/** The others are found by their label. */
const FAILED_SHOWN_MAX = 20;

/**
 * `muster cron backfill`: one Job for each slot of a range of the past that has none, some at a time. What is there counts, so the
 * same command goes on where it was interrupted.
 *
 * @returns the exit code: 0 if every slot's Job is complete
 */
export async function backfill(name: string, flags: BackfillFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const cron = await cronNamed(name, namespace, client, 'backfill');
  const timed = timedCronOf(cron);
  const { range, slots } = slotsOfRange(timed, flags, shell.now());
  const stop = new AbortController();
  let signal: Signal | null = null;
  const forget = shell.onInterrupt((heard) => {
    signal ??= heard;
    stop.abort();
  });
  const warnings = new Set<string>();
  const context: BackfillContext = {
    cron,
    client,
    reconnect: async () => reachAgain(flags.kubeconfig, shell),
    stop,
    now: shell.now,
    onWarning: (text) => void warnings.add(text),
  };
  try {
    const standings = await followSlots(slots, flags, context, shell);
    for (const warning of warnings) shell.err.write(`Warning: ${warning}\n`);
    const form = flags.output;
    if (form !== null) shell.out.write(objectText(backfillObject(timed, range, standings), form));
    else if (flags.isDry) shell.out.write(dryTable(standings, range.zone));
    else shell.out.write(`cronjob.batch/${name}: ${sumText(standings)}\n`);
    if (signal !== null) throw interrupted(name, standings, flags, signal);
    return flags.isDry ? EXIT.ok : verdictOf(name, standings, shell);
  } finally {
    forget();
  }
}

/** Looks, then creates and waits, with a bar meanwhile. */
async function followSlots(
  slots: readonly EpochMs[],
  { isDry, parallel }: BackfillFlags,
  context: BackfillContext,
  shell: Shell,
): Promise<readonly SlotStanding[]> {
  const bar = new WorkBar(shell, LINE_EVERY_MS);
  const total = slots.length;
  try {
    const look = (done: number): void => bar.show({ done, total, text: 'slots looked at' });
    const found = await lookAtSlots(slots, context, look);
    const standings = new Map(found.map((each) => [each.slot, each]));
    const show = (): void => bar.show({ total, ...progressOf([...standings.values()]) });
    const ticking = setInterval(show, TICK_MS);
    try {
      if (!isDry && !context.stop.signal.aborted)
        await runSlots(found, parallel, context, (standing) => {
          standings.set(standing.slot, standing);
          show();
        });
    } finally {
      clearInterval(ticking);
    }
    return [...standings.values()];
  } finally {
    bar.close();
  }
}

function progressOf(standings: readonly SlotStanding[]): { readonly done: number; readonly text: string } {
  const { complete, failed, deleted, foreign, running } = countStates(standings);
  const bad = failed + deleted + foreign;
  return { done: complete + bad, text: `slots, ${running} running${bad === 0 ? '' : `, ${bad} not complete`}` };
}

function verdictOf(name: string, standings: readonly SlotStanding[], { err }: Shell): number {
  const bad = standings.filter(({ state }) => state !== 'complete');
  for (const { job, state, message } of bad.slice(0, FAILED_SHOWN_MAX))
    err.write(
      state === 'foreign'
        ? `job.batch/${job} is there, and not of cronjob.batch/${name}\n`
        : `job.batch/${job} ${state === 'deleted' ? 'was deleted' : `failed: ${message}`}\n`,
    );
  if (bad.length > FAILED_SHOWN_MAX)
    err.write(`and ${bad.length - FAILED_SHOWN_MAX} more: muster get -l ${BACKFILL_LABEL}=${name}\n`);
  if (bad.some(({ state }) => state === 'failed'))
    err.write('To run a failed slot again, delete its Job and repeat the command.\n');
  return bad.length === 0 ? EXIT.ok : bad.every(({ state }) => state === 'deleted') ? EXIT.deleted : EXIT.failed;
}

function interrupted(
  name: string,
  standings: readonly SlotStanding[],
  { from, to, parallel, namespace, kubeconfig }: BackfillFlags,
  signal: Signal,
): Failure {
  const { running } = countStates(standings);
  const words = ['muster', 'cron', 'backfill', name, '--from', from.text, '--to', to.text, '--parallel', `${parallel}`];
  if (namespace !== null) words.push('-n', namespace);
  if (kubeconfig !== null) words.push('--kubeconfig', kubeconfig);
  const goesOn = running === 0 ? 'Nothing runs.' : `${running} ${running === 1 ? 'Job continues' : 'Jobs continue'}.`;
  return new Failure(`${goesOn} To go on: \`${words.map(shellQuoted).join(' ')}\``, EXIT_BY_SIGNAL[signal]);
}
