import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type EpochMs, toTtl } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { LaunchTemplate } from '../../../domain/task/task.ts';
import { TABLE } from '../../../names/table.ts';
import type { JobStore, LaunchRow } from '../../../ports/job-store.ts';
import { SlotsSchema, TemplatesSchema } from '../../../store/programs/row-bodies.ts';
import { jobPartition, launchKey, launchSort, templateKey } from './dynamo-keys.ts';
import { queryAll, rangeRequest, readRow } from './dynamo-read.ts';
import { ATTRIBUTE, type Row, alive, jsonIn, number, numberIn, packedJson, text, textIn } from './dynamo-row.ts';
import { type Table, change, isBy, retryOnTransactionConflict, sendUpdate, versionIs } from './dynamo-write.ts';

type Launches = Pick<JobStore, 'readTemplates' | 'addTemplate' | 'readLaunches' | 'readLaunchRange' | 'writeLaunches'>;

/** What launches are made from, and how far each has come. */
export const launches = (table: Table): Launches => ({
  async readTemplates(uid) {
    return templatesIn(await readRow(table, templateKey(uid)));
  },

  async addTemplate(uid, no, template) {
    return retryOnTransactionConflict(`storing template ${no} of ${uid}`, async () => {
      const known = no === 0 ? [] : templatesIn(await readRow(table, templateKey(uid)));
      if (known.length !== no) return known;
      const all = [...known, template];
      const refusal = await sendUpdate(table.client, templatesRequest(table.name, uid, all));
      if (refusal === null) return all;
      return refusal.kind === 'conflict' || refusal.row === null ? 'conflict' : templatesIn(refusal.row);
    });
  },

  async readLaunches(uid, row) {
    return launchRow(row, await readRow(table, launchKey(uid, row)));
  },

  async readLaunchRange(uid, from, to) {
    const request = rangeRequest(table.name, jobPartition(uid), launchSort(from), launchSort(to));
    const rows = await queryAll(table, { ...request, ConsistentRead: false });
    return rows.map((row) => launchRow(rowNumberIn(row), row));
  },

  async writeLaunches(uid, row, expireAt) {
    const token = table.newToken();
    const request = launchesRequest(table.name, token, uid, row, expireAt, table.now());
    const refusal = await sendUpdate(table.client, request);
    if (refusal === null || isBy(refusal, token)) return { kind: 'written', row: { ...row, version: row.version + 1 } };
    if (refusal.kind === 'conflict')
      return { kind: 'lost', row: launchRow(row.row, await readRow(table, launchKey(uid, row.row))) };
    return { kind: 'lost', row: launchRow(row.row, alive(refusal.row ?? undefined, table.now())) };
  },
});

/** Stored templates never change; the row's version is their number, but omitted if there is one. */
export const templatesRequest = (
  tableName: string,
  uid: JobUid,
  templates: readonly LaunchTemplate[],
): UpdateItemCommandInput => {
  const [only] = templates;
  const count = templates.length;
  const ofOne = { expression: 'attribute_exists(#pk) AND attribute_not_exists(#version)' };
  return change(tableName, {
    key: templateKey(uid),
    // A single template is stored as its own body, as in earlier versions of Muster.
    set:
      count === 1
        ? { [ATTRIBUTE.body]: packedJson(only) }
        : { [ATTRIBUTE.body]: packedJson(templates), [ATTRIBUTE.version]: number(count) },
    condition: count === 2 ? ofOne : versionIs(count - 1),
    returnOld: true,
  });
};

const templatesIn = (row: Row | null): readonly LaunchTemplate[] =>
  row === null ? [] : [jsonIn(row, TemplatesSchema)].flat();

/**
 * The row as its next version. Ten slots with their ARNs, which differ in 32 digits, stay under 1 KB. An expired row counts as
 * missing, although DynamoDB may keep it for days.
 */
export function launchesRequest(
  tableName: string,
  token: string,
  uid: JobUid,
  { row, version, slots }: LaunchRow,
  expireAt: EpochMs,
  now: EpochMs,
): UpdateItemCommandInput {
  return change(tableName, {
    key: launchKey(uid, row),
    set: {
      [ATTRIBUTE.version]: number(version + 1),
      [ATTRIBUTE.by]: text(token),
      [ATTRIBUTE.body]: packedJson(slots),
      [TABLE.ttl]: number(toTtl(expireAt)),
    },
    condition: {
      expression: version === 0 ? 'attribute_not_exists(#pk) OR #ttl <= :now' : '#version = :was AND #ttl > :now',
      values: { ':now': number(Math.floor(now / 1000)), ...(version === 0 ? {} : { ':was': number(version) }) },
    },
    returnOld: true,
  });
}

const launchRow = (no: number, row: Row | null): LaunchRow =>
  row === null
    ? { row: no, version: 0, slots: [] }
    : { row: no, version: numberIn(row, ATTRIBUTE.version), slots: jsonIn(row, SlotsSchema) };

const rowNumberIn = (row: Row): number => Number(textIn(row, TABLE.sortKey).split('#')[1]);
