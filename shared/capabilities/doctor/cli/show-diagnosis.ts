import { themeFor } from '../../../../cli/render/theme.ts';
import * as z from 'zod';
import { withCommandWord } from '../../../../cli/text/command-word.ts';
import { EXIT, Failure, isUnknownPath } from '../../../../cli/shell/failure.ts';
import { type KubeClient, readAs } from '../../../../cli/client/kube-client.ts';
import { reach } from '../../../../cli/client/reach.ts';
import { type ShownDataFolder, dataFolderText } from './data-folder.ts';
import { findingList } from './finding-list.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

export type DoctorFlags = {
  readonly namespace: string | null;
  readonly allNamespaces: boolean;
  /** The table was restored: only which indexes run again. */
  readonly afterRestore: boolean;
  readonly output: ObjectForm | 'text';
  readonly kubeconfig: string | null;
};

const Moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const FindingSchema = z.object({
  severity: z.string(),
  kind: z.string(),
  subject: z.string(),
  what: z.string(),
  since: Moment.nullable(),
  remedy: z.string(),
});
const DiagnosisSchema = z.object({
  kind: z.literal('Diagnosis'),
  asOf: z.string(),
  findings: z.array(z.looseObject({ severity: z.string() })),
  looked: z.int().default(0),
  continue: z.string().default(''),
  deadLetters: z.array(z.unknown()).optional(),
  dataFolder: z.unknown().optional(),
});
const DataFolderSchema: z.ZodType<ShownDataFolder> = z.object({
  path: z.string(),
  bytes: z.number(),
  jobsFile: z.object({ usedBytes: z.number(), fileBytes: z.number() }).nullable(),
  logsBytes: z.number(),
  tasksBytes: z.number(),
  jobs: z.int(),
  more: z.boolean(),
  oldestJob: z.object({ namespace: z.string(), name: z.string(), createdAt: Moment }).nullable(),
  prunable: z.object({ olderThanSeconds: z.number(), jobs: z.int(), namespaces: z.array(z.string()) }),
});
type Diagnosis = z.output<typeof DiagnosisSchema>;

/**
 * `muster doctor`: why one Job failed, what keeps it running, what is inconsistent; or the installation and all Jobs of a
 * namespace.
 */
export async function doctor(job: string | null, flags: DoctorFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const { target } = client;
  const namespace = flags.allNamespaces ? null : (flags.namespace ?? target.namespace);
  const parts =
    job === null
      ? flags.afterRestore
        ? await jobsOf(namespace, client, { afterRestore: 'true' })
        : [await ask(client, '/muster/v1/diagnosis'), ...(await jobsOf(namespace, client))]
      : [await ask(client, `${pathOf(namespace ?? target.namespace)}/${encodeURIComponent(job)}/diagnosis`)];
  const raw = parts.flatMap(({ findings }) => findings);
  const [first] = parts;
  const isHealthy = raw.every(({ severity }) => severity !== 'error');
  if (flags.output !== 'text') {
    const { deadLetters: letters, dataFolder } = first ?? {};
    const whole = {
      apiVersion: 'muster.run/v1',
      kind: 'Diagnosis',
      asOf: first?.asOf,
      healthy: isHealthy,
      findings: raw,
      ...(letters === undefined ? {} : { deadLetters: letters }),
      ...(dataFolder === undefined ? {} : { dataFolder }),
    };
    shell.out.write(objectText(whole, flags.output));
    return isHealthy ? EXIT.ok : EXIT.failed;
  }
  const findings = raw.map((finding) => readAs(FindingSchema, finding, target));
  if (findings.length > 0) shell.out.write(findingList(findings, shell.now(), themeFor(shell.out, shell.env)));
  else shell.out.write('healthy\n');
  if (first?.dataFolder !== undefined) {
    const folder = readAs(DataFolderSchema, first.dataFolder, target);
    const text = dataFolderText(folder, flags.namespace ?? target.namespace, shell.now());
    shell.out.write(`\n${withCommandWord(text, shell.env)}`);
  }
  return isHealthy ? EXIT.ok : EXIT.failed;
}

const pathOf = (namespace: string | null): string =>
  `/muster/v1${namespace === null ? '' : `/namespaces/${encodeURIComponent(namespace)}`}/jobs`;

/** Yields Jobs page by page. */
async function jobsOf(
  namespace: string | null,
  client: KubeClient,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly Diagnosis[]> {
  const pages: Diagnosis[] = [];
  let next = '';
  do {
    const page = await ask(
      client,
      `${pathOf(namespace)}/diagnosis`,
      next === '' ? query : { ...query, continue: next },
    );
    pages.push(page);
    next = page.continue;
  } while (next !== '');
  return pages;
}

async function ask(client: KubeClient, path: string, query: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
  try {
    return readAs(DiagnosisSchema, await client.get(path, query), client.target);
  } catch (error) {
    if (!isUnknownPath(error)) throw error;
    throw new Failure(`error: ${client.target.server} runs a version without this check: it has no ${path}`);
  }
}
