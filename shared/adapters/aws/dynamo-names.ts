import { randomUUID } from 'node:crypto';
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type EpochMs, type JobUid, asEpochMs, asJobUid } from '../../domain/brand.ts';
import { TABLE } from '../../names/table.ts';
import type { JobStore } from '../../ports/job-store.ts';
import { NAME_PREFIX, NAMESPACES_PARTITION, nameKey, namePartition, namespaceKey } from './dynamo-keys.ts';
import { queryAll, rangeRequest, readRow } from './dynamo-read.ts';
import { type Row, alive, number, numberIn, text, textIn } from './dynamo-row.ts';
import { type Table, change, patiently, sendUpdate, versionIs } from './dynamo-write.ts';

type Names = Pick<JobStore, 'findJob' | 'listJobs' | 'createNamespace' | 'listNamespaces'>;

/** Sorts before and after every name: names are of letters, digits, '-' and '.'. */
const FIRST = '!';
const LAST = '~';

/** Names of Jobs and of namespaces. */
export const names = (table: Table): Names => ({
  async findJob(namespace, name) {
    const row = await readRow(table, nameKey(namespace, name));
    return row === null ? null : asJobUid(textIn(row, 'uid'));
  },

  async listJobs({ namespace, after, limit }) {
    const from = after === null ? null : splitToken(after);
    const namespaces = namespace === null ? (await readNamespaces(table)).map(({ name }) => name) : [namespace];
    const found: { namespace: string; name: string; uid: JobUid }[] = [];
    for (const ns of namespaces) {
      if (found.length > limit) break;
      if (from !== null && ns < from.namespace) continue;
      const afterName = ns === from?.namespace ? from.name : null;
      for (const row of await namesIn(table, ns, afterName, limit + 1 - found.length)) {
        found.push({
          namespace: ns,
          name: textIn(row, TABLE.sortKey).slice(NAME_PREFIX.length),
          uid: asJobUid(textIn(row, 'uid')),
        });
      }
    }
    const jobs = found.slice(0, limit);
    const last = jobs.at(-1);
    return { jobs, next: found.length > limit && last !== undefined ? `${last.namespace}/${last.name}` : null };
  },

  async createNamespace(name, at) {
    const uid = randomUUID();
    return patiently(`creating namespace ${name}`, async () => {
      const refusal = await sendUpdate(table.client, namespaceRequest(table.name, name, uid, at));
      if (refusal?.kind === 'conflict') return 'conflict';
      return refusal === null || refusal.row?.['uid']?.S === uid ? { kind: 'created' } : { kind: 'taken' };
    });
  },

  async listNamespaces() {
    return readNamespaces(table);
  },
});

export const namespaceExists = async (table: Table, name: string): Promise<boolean> =>
  (await readRow(table, namespaceKey(name))) !== null;

export const namespaceRequest = (tableName: string, name: string, uid: string, at: EpochMs) =>
  change(tableName, {
    key: namespaceKey(name),
    set: { uid: text(uid), createdAt: number(at) },
    condition: versionIs(0),
    tellLoser: true,
  });

async function readNamespaces(table: Table) {
  const rows = await queryAll(table, rangeRequest(table.name, NAMESPACES_PARTITION, FIRST, LAST));
  return rows.map((row) => ({
    name: textIn(row, TABLE.sortKey),
    uid: textIn(row, 'uid'),
    createdAt: asEpochMs(numberIn(row, 'createdAt')),
  }));
}

/** Up to `limit` names of Jobs of one namespace, behind `after`. */
export const namesRequest = (tableName: string, namespace: string, after: string | null, limit: number) =>
  ({
    // No name goes on with '!': behind `after` + '!' is the next name.
    ...rangeRequest(
      tableName,
      namePartition(namespace),
      `${NAME_PREFIX}${after ?? ''}${FIRST}`,
      `${NAME_PREFIX}${LAST}`,
    ),
    Limit: limit,
  }) satisfies QueryCommandInput;

async function namesIn(table: Table, namespace: string, after: string | null, limit: number): Promise<readonly Row[]> {
  const found: Row[] = [];
  let last = after;
  for (;;) {
    const answer = await table.client.send(
      new QueryCommand(namesRequest(table.name, namespace, last, limit - found.length)),
    );
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
