import { asJobUid } from '../../domain/base/ids.ts';
import type { JobStore, NamedJob } from '../../ports/job-store.ts';
import { fieldsOf, textIn } from '../rows/fields.ts';
import { type Program, get, rowsIn } from '../rows/program.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { NAME_PREFIX, nameKey, namePartition, objectPartition, objectSort } from './row-keys.ts';

type Names = Pick<JobStore, 'findJob' | 'listJobs'>;

/** Names of Jobs. */
export const names = (table: Table): Names => methodsOf(table, { findJob, listJobs });

function* findJob(namespace: string, name: string): Program<NamedJob['uid'] | null> {
  const row = yield* get(nameKey(namespace, name));
  return row === null ? null : asJobUid(textIn(row, 'uid'));
}

type JobPage = Parameters<JobStore['listJobs']>[0];

function* listJobs({ namespace, after, limit }: JobPage): Program<Awaited<ReturnType<JobStore['listJobs']>>> {
  const from = after === null ? null : splitToken(after);
  const namespaces = namespace === null ? yield* namespacesFrom(from?.namespace ?? '') : [namespace];
  const found: NamedJob[] = [];
  for (const each of namespaces) {
    if (found.length > limit) break;
    const afterName = each === from?.namespace ? from.name : null;
    found.push(...(yield* jobsIn(each, afterName, limit + 1 - found.length)));
  }
  const jobs = found.slice(0, limit);
  const last = jobs.at(-1);
  return { jobs, next: found.length > limit && last !== undefined ? `${last.namespace}/${last.name}` : null };
}

/** Sorts before and after every name: names consist of letters, digits, '-', and '.'. */
const FIRST = '!';
const LAST = '~';

/** Names of the namespaces from `from` on, including those that are being deleted: their Jobs exist until they are gone. */
function* namespacesFrom(from: string): Program<readonly string[]> {
  const sortOf = (name: string): string => objectSort({ namespace: '', name });
  const range = { partition: objectPartition('Namespace'), from: sortOf(from), to: sortOf(LAST) };
  return (yield* rowsIn(range)).map(({ key }) => key.sort.slice(sortOf('').length));
}

/** Up to `limit` Jobs of one namespace, by name, after `after`. */
function* jobsIn(namespace: string, after: string | null, limit: number): Program<readonly NamedJob[]> {
  // No name continues with '!': `after` + '!' comes right before the next name.
  const [from, to] = [`${NAME_PREFIX}${after ?? ''}${FIRST}`, `${NAME_PREFIX}${LAST}`];
  const rows = yield* rowsIn({ partition: namePartition(namespace), from, to }, limit);
  return rows.map((row) => {
    const { owner } = fieldsOf(row);
    return {
      namespace,
      name: row.key.sort.slice(NAME_PREFIX.length),
      uid: asJobUid(textIn(row, 'uid')),
      ownerUid: typeof owner === 'string' ? owner : null,
    };
  });
}

/** Embedded, an earlier version of Muster put the other mark between the two. */
function splitToken(token: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = token.split(/[/!]/);
  return { namespace, name };
}
