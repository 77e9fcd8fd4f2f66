import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type EpochMs, toTtl } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { TABLE } from '../../../names/table.ts';
import type { JobStore } from '../../../ports/job-store.ts';
import { announcedKey } from './dynamo-keys.ts';
import { readRow } from './dynamo-read.ts';
import { ATTRIBUTE, number, numberIn } from './dynamo-row.ts';
import { type Table, change, sendUpdate } from './dynamo-write.ts';

/** How far each Job's changes were announced: a row of its own, because the mark is in transactions of the feed. */
export const announced = (table: Table): Pick<JobStore, 'readAnnounced' | 'writeAnnounced'> => ({
  async readAnnounced(uid) {
    const row = await readRow(table, announcedKey(uid));
    return row === null ? 0 : numberIn(row, ATTRIBUTE.version);
  },

  async writeAnnounced(uid, version, expireAt) {
    // A refusal says that the row has as much already.
    await sendUpdate(table.client, announcedRequest(table.name, uid, version, expireAt));
  },
});

export const announcedRequest = (
  tableName: string,
  uid: JobUid,
  version: number,
  expireAt: EpochMs,
): UpdateItemCommandInput =>
  change(tableName, {
    key: announcedKey(uid),
    set: { [ATTRIBUTE.version]: number(version), [TABLE.ttl]: number(toTtl(expireAt)) },
    condition: { expression: 'attribute_not_exists(#pk) OR #version < :version' },
  });
