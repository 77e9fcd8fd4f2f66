import { themeFor } from '../render/theme.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { indexesToSucceed } from '../../shared/domain/manifests/selection.ts';
import { type Job, JobSchema } from '../client/api-objects.ts';
import { jobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { EXIT } from '../shell/failure.ts';
import { phaseOf } from '../follow/job-state.ts';
import { type GraphForm, graphDot, graphMermaid, graphObject } from '../render/graph-forms.ts';
import { graphTree } from '../render/graph-tree.ts';
import { type GraphJob, dependenciesOf, graphOf } from '../../shared/domain/manifests/job-graph.ts';
import { objectText } from '../render/object-text.ts';
import type { Shell } from '../shell/shell.ts';

export type GraphFlags = {
  readonly output: GraphForm;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/**
 * `muster graph`: which Jobs wait for which.
 *
 * @param names Jobs that must exist, whose connected ones are shown, too; none: all Jobs that wait or are waited for
 */
export async function graph(names: readonly string[], flags: GraphFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const { items } = await client.list(jobsPath(namespace));
  const jobs = items.map((item) => graphJobOf(readAs(JobSchema, item, client.target)));
  const known = new Set(jobs.map(({ name }) => name));
  // The server says in Kubernetes' words that there is none.
  for (const name of names) if (!known.has(name)) await client.get(jobsPath(namespace, name));
  const shown = graphOf(jobs, names.length === 0 ? null : names);
  if (shown.length === 0 && flags.output === 'tree')
    shell.err.write(`No Job of namespace ${namespace} waits for another one.\n`);
  else shell.out.write(textOf[flags.output](shown, namespace, shell));
  return EXIT.ok;
}

const textOf: Readonly<Record<GraphForm, (shown: readonly GraphJob[], namespace: string, shell: Shell) => string>> = {
  tree: (shown, _, { out, env }) =>
    graphTree(shown, out.terminal?.size().columns ?? null, themeFor(out, env))
      .map((line) => `${line}\n`)
      .join(''),
  dot: graphDot,
  mermaid: graphMermaid,
  json: (shown, namespace) => objectText(graphObject(namespace, shown), 'json'),
};

function graphJobOf(job: Job): GraphJob {
  const { metadata, spec, status } = job;
  const { annotations, name } = metadata;
  const total =
    spec.completions === undefined
      ? null
      : indexesToSucceed(spec.completions, annotations[ANNOTATIONS.indexes], status.completedIndexes);
  return { name, state: phaseOf(job), succeeded: status.succeeded, total, dependencies: dependenciesOf(annotations) };
}
