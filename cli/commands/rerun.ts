import { formatIndexSet, size } from '../../shared/domain/base/index-set.ts';
import { type EndedAttempt, type Job, JobSchema } from '../client/api-objects.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { ApiFailure, EXIT, Failure } from '../shell/failure.ts';
import { endedAttempts } from '../logs/ended-attempts.ts';
import { indexesOfItems } from '../logs/indexes-of-items.ts';
import { objectText } from '../render/object-text.ts';
import { type Again, type ChosenIndexes, chooseIndexes, refuseUnlessRerunnable } from '../rerun/rerun-indexes.ts';
import { rerunName } from '../../shared/domain/manifests/rerun-name.ts';
import { type RerunWish, rerunManifest } from '../rerun/rerun-manifest.ts';
import type { Shell } from '../shell/shell.ts';
import { type RunFlags, runManifests } from './run.ts';

export type RerunFlags = Omit<RunFlags, 'replacing' | 'removes'> &
  Pick<RerunWish, 'image' | 'env' | 'parallelism'> & {
    readonly again: WishedAgain;
    /** null: the first free one of {@link rerunName} */
    readonly name: string | null;
    /** Print what would run, create nothing. */
    readonly isDry: boolean;
  };

/** What a user asks for: items stand for the indexes that work on them. */
export type WishedAgain = Again | { readonly kind: 'items'; readonly items: readonly string[] };

/** Nobody has run a Job again so often. */
const NAMES_TRIED_MAX = 100;

/**
 * `muster rerun`: a new Job that runs indexes of an old one again and inherits what has succeeded there.
 *
 * @returns the exit code; with `wait`, the new Job's verdict
 */
export async function rerun(oldName: string, flags: RerunFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const old = await client.get(jobsPath(namespace, oldName));
  const job = readAs(JobSchema, old, client.target);
  refuseUnlessRerunnable(job);
  const again = await withoutItems(flags.again, job, client);
  const failed = again.kind === 'verdict' ? await failedOf(job, client) : [];
  const chosen = chooseIndexes(job, again, failed);
  const name = flags.name ?? (await freeName(job, client));
  const manifest = rerunManifest(old, { ...flags, name, indexes: chosen.annotation });
  if (flags.isDry) {
    shell.out.write(dryText(job, chosen, name, manifest, flags.output));
    return EXIT.ok;
  }
  shell.err.write(`${sentence(job, chosen, 'to run again')}\n`);
  return runManifests([{ value: manifest, lineOf: () => null }], { ...flags, replacing: 'never' }, shell);
}

async function withoutItems(again: WishedAgain, job: Job, client: KubeClient): Promise<Again> {
  if (again.kind !== 'items') return again;
  return { kind: 'indexes', text: (await indexesOfItems(job, again.items, client)).join(',') };
}

async function failedOf({ metadata }: Job, client: KubeClient): Promise<readonly EndedAttempt[]> {
  const failed: EndedAttempt[] = [];
  for await (const page of endedAttempts(metadata, 'failed', client)) failed.push(...page);
  return failed;
}

/** Another client may take it meanwhile: then the server refuses, and says so. */
async function freeName({ metadata: { name, namespace }, spec }: Job, client: KubeClient): Promise<string> {
  for (let nth = 1; nth <= NAMES_TRIED_MAX; nth++) {
    const tried = rerunName(name, spec.completions ?? 0, nth);
    try {
      await client.get(jobsPath(namespace, tried));
    } catch (error) {
      if (error instanceof ApiFailure && error.status.code === 404) return tried;
      throw error;
    }
  }
  throw new Failure(`error: ${NAMES_TRIED_MAX} reruns of job.batch/${name} are there already: say --name`);
}

function dryText(
  job: Job,
  chosen: ChosenIndexes,
  name: string,
  manifest: object,
  output: RerunFlags['output'],
): string {
  if (output === 'json' || output === 'yaml') return objectText(manifest, output);
  if (output === 'name') return `job.batch/${name}\n`;
  return `${sentence(job, chosen, 'would run again')}\n${formatIndexSet(chosen.running)}\njob.batch/${name} created (dry run)\n`;
}

function sentence({ metadata, spec }: Job, { running, inherited, excluded }: ChosenIndexes, what: string): string {
  const others = [
    ...(inherited === 0 ? [] : [`${inherited} inherited`]),
    ...(excluded === 0 ? [] : [`${excluded} left out`]),
  ];
  const rest = others.length === 0 ? '' : `, ${others.join(', ')}`;
  return `${size(running)} of ${spec.completions ?? 0} indexes of job.batch/${metadata.name} ${what}${rest}`;
}
