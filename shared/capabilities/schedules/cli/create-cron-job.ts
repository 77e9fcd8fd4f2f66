import { reach } from '../../../../cli/client/reach.ts';
import { readAs } from '../../../../cli/client/kube-client.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import type { LineObject } from '../../../../cli/run-line/line-form.ts';
import { EXIT } from '../../../../cli/shell/failure.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { asEpochMs } from '../../../domain/base/time.ts';
import { CronJobSchema, cronJobsPath } from './api-objects-of-schedules.ts';
import { nextRun } from './next-run.ts';

export type CreateFlags = {
  readonly namespace: string | null;
  /** null: a line for people, and when it fires first */
  readonly output: ObjectForm | 'name' | null;
  readonly kubeconfig: string | null;
};

/** Creates the CronJob of a command line, and says when it fires first. Returns the exit code. */
export async function createCronJob(
  manifest: LineObject,
  { namespace, output, kubeconfig }: CreateFlags,
  shell: Shell,
): Promise<number> {
  const { name } = manifest.metadata;
  const client = await reach(kubeconfig, shell);
  const { object, warnings } = await client.create(cronJobsPath(namespace ?? client.target.namespace), manifest);
  for (const warning of warnings) shell.err.write(`Warning: ${warning}\n`);
  const said = `cronjob.batch/${name}${output === 'name' ? '' : ' created'}\n`;
  shell.out.write(output === 'json' || output === 'yaml' ? objectText(object, output) : said);
  if (output !== null) return EXIT.ok;
  const { spec } = readAs(CronJobSchema, object, client.target);
  const next = nextRun(spec, asEpochMs(shell.now())) ?? `never, no day matches ${JSON.stringify(spec.schedule)}`;
  shell.out.write(`next: ${next}\n`);
  return EXIT.ok;
}
