import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import type { ClusterDump, DumpPlan } from '../domain/cluster-dump.ts';
import { readDumpFile } from './dump-file.ts';
import { renderDumpPlan } from './dump-plan.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

export type PlanFlags = {
  /** `-`: standard input */
  readonly file: string;
  /** null: uses the shell's clock */
  readonly nowMs: number | null;
  readonly output: ObjectForm | 'text';
  /** Applies upstream's limits of 500 Pods per sync. */
  readonly caps: boolean;
};

/** What the controller would do with a dump: `shared/capabilities/plan/domain/explain-dump.ts`. */
export type Explain = (dump: ClusterDump, now: EpochMs, options: { readonly caps: boolean }) => DumpPlan;

/**
 * `muster plan`: what would the Job controller do next with this dump of a cluster?
 *
 * @returns the exit code
 * @throws Failure (exit code 2) when the dump cannot be read
 */
export async function planDump(flags: PlanFlags, explain: Explain, shell: Shell): Promise<number> {
  const dump = await readDumpFile(flags.file, shell);
  const now = asEpochMs(flags.nowMs ?? shell.now());
  const plan = explain(dump, now, { caps: flags.caps });
  const { output } = flags;
  shell.out.write(output === 'text' ? renderDumpPlan(dump, plan, now) : objectText(asObject(plan), output));
  return 0;
}

/** The sentences are for people; the order of keys is documented. */
const asObject = ({ status, create, delete: gone, account, release, requeueAfterSec, events }: DumpPlan) => ({
  status,
  create,
  delete: gone,
  account,
  release,
  requeueAfterSec,
  events,
});
