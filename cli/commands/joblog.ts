import { JobSchema } from '../client/api-objects.ts';
import { jobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { EXIT } from '../shell/failure.ts';
import { endedAttempts } from '../logs/ended-attempts.ts';
import { JOBLOG_TEXT, type JoblogForm, joblogRow } from '../render/joblog.ts';
import type { Shell } from '../shell/shell.ts';

export type JoblogFlags = {
  readonly form: JoblogForm;
  /** Every ended attempt, not only the last of each index. */
  readonly attempts: boolean;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** `muster joblog`: a row for each index that has ended an attempt, in GNU parallel's columns; written as pages arrive. */
export async function joblog(name: string, flags: JoblogFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);
  const text = JOBLOG_TEXT[flags.form];
  // CSV has no escapes: a program gets what was there.
  const write = flags.form === 'csv' && !shell.out.isTerminal ? shell.out.writeRaw : shell.out.write;
  let rows = 0;
  write(text.head);
  for await (const page of endedAttempts({ namespace, name }, flags.attempts ? 'all' : 'last', client, {
    words: true,
  })) {
    write(page.map((attempt, i) => text.row(joblogRow(job, attempt, rows + i), rows + i)).join(''));
    rows += page.length;
  }
  write(text.end(rows));
  return EXIT.ok;
}
