import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { asJobUid } from '../../../domain/base/ids.ts';
import { TABLE } from '../../../names/table.ts';
import type { JobStore, NamedJob } from '../../../ports/job-store.ts';
import { NAME_PREFIX, nameKey, namePartition, objectPartition, objectSort } from './dynamo-keys.ts';
import { queryAll, rangeRequest, readRow } from './dynamo-read.ts';
import { type Row, alive, textIn } from './dynamo-row.ts';
import type { Table } from './dynamo-write.ts';

type Names = Pick<JobStore, 'findJob' | 'listJobs'>;

/** Sorts before and after every name: names consist of letters, digits, '-', and '.'. */
const FIRST = '!';
const LAST = '~';

/** Names of Jobs. */
export const names = (table: Table): Names => ({
  async findJob(namespace, name) {
    const row = await readRow(table, nameKey(namespace, name));
    return row === null ? null : asJobUid(textIn(row, 'uid'));
  },

  async listJobs({ namespace, after, limit }) {
    const from = after === null ? null : splitToken(after);
    const namespaces = namespace === null ? await readNamespaces(table, from?.namespace ?? '') : [namespace];
    const found: NamedJob[] = [];
    for (const ns of namespaces) {
      if (found.length > limit) break;
      const afterName = ns === from?.namespace ? from.name : null;
      for (const row of await namesIn(table, ns, afterName, limit + 1 - found.length)) {
        found.push({
          namespace: ns,
          name: textIn(row, TABLE.sortKey).slice(NAME_PREFIX.length),
          uid: asJobUid(textIn(row, 'uid')),
          ownerUid: row['owner']?.S ?? null,
        });
      }
    }
    const jobs = found.slice(0, limit);
    const last = jobs.at(-1);
    return { jobs, next: found.length > limit && last !== undefined ? `${last.namespace}/${last.name}` : null };
  },
});

/** Names of the namespaces from `from` on, including those that are being deleted: their Jobs exist until they are gone. */
async function readNamespaces(table: Table, from: string): Promise<readonly string[]> {
  const [first, last] = [from, LAST].map((name) => objectSort({ namespace: '', name }));
  if (first === undefined || last === undefined || first > last) return [];
  const rows = await queryAll(table, rangeRequest(table.name, objectPartition('Namespace'), first, last));
  return rows.map((row) => textIn(row, TABLE.sortKey).slice(objectSort({ namespace: '', name: '' }).length));
}

/**
 * Up to `limit` names of Jobs of one namespace, after `after`; null: nothing can follow that text, and DynamoDB refuses a range
 * whose end comes before its beginning.
 */
export function namesRequest(tableName: string, namespace: string, after: string | null, limit: number) {
  // No name continues with '!': `after` + '!' comes right before the next name.
  const [from, to] = [`${after ?? ''}${FIRST}`, LAST].map((name) => `${NAME_PREFIX}${name}`) as [string, string];
  if (from > to) return null;
  const range = rangeRequest(tableName, namePartition(namespace), from, to);
  return { ...range, Limit: limit } satisfies QueryCommandInput;
}

async function namesIn(table: Table, namespace: string, after: string | null, limit: number): Promise<readonly Row[]> {
  const found: Row[] = [];
  let last = after;
  for (;;) {
    const request = namesRequest(table.name, namespace, last, limit - found.length);
    if (request === null) return found;
    const answer = await table.client.send(new QueryCommand(request));
    for (const row of answer.Items ?? []) if (alive(row, table.now()) !== null) found.push(row);
    const lastKey = answer.LastEvaluatedKey;
    if (lastKey === undefined || found.length >= limit) return found;
    last = textIn(lastKey, TABLE.sortKey).slice(NAME_PREFIX.length);
  }
}

function splitToken(token: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = token.split('/');
  return { namespace, name };
}
