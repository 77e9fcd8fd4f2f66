import * as z from 'zod';
import { textOf } from '../../../shared/adapters/rows/lmdb-layout.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { ALARM_STEP_MS } from '../../../shared/ports/job-store.ts';
import {
  CRON_SHARD,
  FEED_HEAD_SORT,
  FEED_PARTITION,
  LETTER_PARTITION,
  attemptKey,
  contentHeadKey,
  contentListKey,
  contentPartition,
  cronKey,
  jobPartition,
  limitKey,
  nameKey,
  waiterPartition,
} from '../../../shared/store/programs/row-keys.ts';
import { alarmOf } from '../../../shared/store/programs/stored-alarms.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import { FIELD, type Fields, type RowKey } from '../../../shared/store/rows/row.ts';

/** A row of format 1. Its bytes: layout (1), ttl in seconds or 0 (4), the version that its next write depends on or 0 (8), body. */
type OldRow = { readonly version: number; readonly ttl: number; readonly body: Buffer };

const LAYOUT = 1;
const TTL_AT = 1;
const VERSION_AT = 5;
const BODY_AT = 13;

/** null: it cannot be decoded. */
function decodeOldRow(key: string, bytes: Buffer): OldRow | null {
  const layout = bytes[0];
  if (layout !== undefined && layout > LAYOUT) throw new NewerFormatError(`row ${key}`, layout, LAYOUT);
  if (layout !== LAYOUT || bytes.length < BODY_AT) return null;
  const [ttl, version] = [bytes.readUInt32BE(TTL_AT), bytes.readDoubleBE(VERSION_AT)];
  return { ttl, version, body: bytes.subarray(BODY_AT) };
}

const body = (old: OldRow): Fields => ({ [FIELD.body]: old.body });
const versioned = (old: OldRow): Fields => ({ [FIELD.version]: old.version, ...body(old) });
/** Format 1 did not count the versions of such a row. */
const firstVersion = (old: OldRow): Fields => ({ [FIELD.version]: 1, ...body(old) });
const parsed = <S extends z.ZodType>(old: OldRow, schema: S): z.output<S> =>
  schema.parse(JSON.parse(old.body.toString('utf8')));

/** STATUS began with the minute of its alarm, or -1. */
const ALARM_BYTES = 8;

function status(old: OldRow, uid: string): Fields {
  const minute = old.body.readDoubleBE();
  const alarms = minute < 0 ? [] : [asEpochMs(minute * ALARM_STEP_MS)];
  const rest = { ...old, body: old.body.subarray(ALARM_BYTES) };
  return { ...versioned(rest), ...alarmOf(asJobUid(uid), { alarms }) };
}

const MarkSchema = z.object({
  seq: z.number(),
  number: z.number(),
  at: z.number(),
  published: z.looseObject({}).nullable(),
  shown: z.unknown().optional(),
});

function mark(old: OldRow): Fields {
  const { seq, number, at, published, shown } = parsed(old, MarkSchema);
  const told = published === null ? {} : { [FIELD.body]: json({ ...published, shown }) };
  return { [FIELD.version]: old.version, seq, number, at, ...told };
}

/** Their number is the row's version, but for a single one. */
function templates(old: OldRow): Fields {
  const all = parsed(old, z.union([z.array(z.unknown()), z.looseObject({})]));
  return { ...body(old), ...(Array.isArray(all) && all.length > 1 ? { [FIELD.version]: all.length } : {}) };
}

function name(old: OldRow): Fields {
  const { uid, ownerUid } = parsed(old, z.object({ uid: z.string(), ownerUid: z.string().nullable() }));
  return { uid, ...(ownerUid === null ? {} : { owner: ownerUid }) };
}

/** Rows of the Jobs' feed have their moment beside their body. */
function feedRow(old: OldRow, feed: string): Fields {
  if (`FEED#${feed}` !== FEED_PARTITION) return body(old);
  const { at, entries } = parsed(old, z.object({ at: z.number(), entries: z.array(z.unknown()) }));
  return { at, [FIELD.body]: json(entries) };
}

const MINUTE_MS = 60_000;

function cron(old: OldRow): Fields {
  const { alarmAt } = parsed(old, z.object({ alarmAt: z.number().nullable() }));
  const alarm = alarmAt === null ? {} : { [FIELD.alarmShard]: CRON_SHARD, [FIELD.alarmMinute]: alarmAt / MINUTE_MS };
  return { ...versioned(old), ...alarm };
}

const PaceSchema = z.object({
  nextFreeAt: z.number(),
  cut: z.object({ share: z.number(), at: z.number() }).nullable(),
  recent: z.looseObject({}).nullish(),
});

function pace(old: OldRow): Fields {
  const { nextFreeAt, cut, recent } = parsed(old, PaceSchema);
  return {
    [FIELD.version]: old.version,
    nextFreeAt,
    ...(cut === null ? {} : { cutShare: cut.share, cutAt: cut.at }),
    ...(recent === null || recent === undefined ? {} : { recent: JSON.stringify(recent) }),
  };
}

/** A part names its writer by what it holds. */
const itemPart = (old: OldRow): Fields => ({
  [FIELD.by]: parsed(old, z.object({ sha256: z.string() })).sha256,
  ...body(old),
});

const key = (partition: string, sort: string): RowKey => ({ partition, sort });
const ofJob = (uid: string, sort: string): RowKey => key(jobPartition(asJobUid(uid)), sort);
const besideJob = (kind: string, uid: string, no: string): RowKey => ofJob(uid, `${kind}#${no}`);
const ofContent = (content: string, sort: string): RowKey => key(contentPartition(content), sort);

/**
 * Each kind of row: its key in format 1; from the parts of that key, its key today; and its fields, from what it holds and the
 * first of those parts. null: its key says all.
 */
type Kind = readonly [
  old: RegExp,
  key: (...parts: string[]) => RowKey,
  fields: ((old: OldRow, first: string) => Fields) | null,
];
const KINDS: readonly Kind[] = [
  [/^JOB#([^#]+)#(SPEC)$/, ofJob, body],
  [/^JOB#([^#]+)#(STATUS)$/, ofJob, status],
  [/^JOB#([^#]+)#(BOARD#.+)$/s, ofJob, versioned],
  [/^JOB#([^#]+)#(TEMPLATE)$/, ofJob, templates],
  [/^JOB#([^#]+)#(MARK)$/, ofJob, mark],
  [/^JOB#([^#]+)#(ANNOUNCED)$/, ofJob, ({ version }) => ({ [FIELD.version]: version })],
  [
    /^JOB#([^#]+)#PUBLISHED#(.+)$/s,
    (uid, part) => ofJob(uid, `TOLD#${part}`),
    (old) => ({ through: old.version, ...body(old) }),
  ],
  [/^(LAUNCH|HOSTS)#([^#]+)#(.+)$/s, besideJob, versioned],
  [/^ATTEMPT#([^#]+)#(\d+)#(\d+)$/, (uid, index, no) => attemptKey(asJobUid(uid), Number(index), Number(no)), body],
  [/^NAME#([^!]+)!(.+)$/s, nameKey, name],
  [/^RESERVED$/, () => limitKey('hosts'), firstVersion],
  [/^OBJECT#([^#]+)#(.+)$/s, (kind, sort) => key(`OBJECT#${kind}`, sort), versioned],
  [/^FEED#([^#]+)#(.+)$/s, (feed, no) => key(`FEED#${feed}`, no), feedRow],
  [/^HEAD#(.+)$/s, (feed) => key(`FEED#${feed}`, FEED_HEAD_SORT), ({ version }) => ({ number: version })],
  [/^CRON#(.+)$/s, cronKey, cron],
  [/^LIMIT#(.+)$/s, limitKey, pace],
  [/^DEAD#(.+)$/s, (sort) => key(LETTER_PARTITION, sort), body],
  [/^CONTENT#(.+)$/s, contentListKey, null],
  [/^CONTENT#(.+)$/s, contentHeadKey, firstVersion],
  [/^ITEMS#(.+)#(PART#.+)$/s, ofContent, itemPart],
  [/^ITEMS#(.+)#((?:RUN|USED)#.+)$/s, ofContent, body],
  [/^AFTER#([^!]+)!(.+)$/s, (namespace, sort) => key(waiterPartition(namespace), sort), body],
];

/** The index of alarms, which the engine now keeps itself. */
const ALARM = /^(?:CRON)?ALARM#/;

/** What a row becomes. fields null: it is unreadable, and keeps its bytes. */
export type NewRow = { readonly key: RowKey; readonly fields: Fields | null };

/**
 * What a row of format 1 is in format 2. What its body says is not checked, as far as it stays as it is. A row whose key means
 * nothing is unreadable, too: it is kept in a partition of its own.
 *
 * @throws NewerFormatError for a layout of a later release
 */
export function newRowsOf(oldKey: string, bytes: Buffer): readonly NewRow[] {
  const old = decodeOldRow(oldKey, bytes);
  if (ALARM.test(oldKey)) return [];
  const rows = KINDS.flatMap(([pattern, keyOf, fieldsOf]): readonly NewRow[] => {
    const [found, ...parts] = pattern.exec(oldKey) ?? [];
    if (found === undefined) return [];
    return [
      {
        key: keyOf(...parts),
        fields: fieldsOf === null ? {} : movedFields(old, (row) => fieldsOf(row, parts[0] ?? '')),
      },
    ];
  });
  const isKnown = rows.length > 0 && rows.every((row) => textOf(row.key) !== null);
  return isKnown ? rows : [{ key: key('FORMAT1', oldKey), fields: null }];
}

function movedFields(old: OldRow | null, fieldsOf: (old: OldRow) => Fields): Fields | null {
  if (old === null) return null;
  try {
    return { ...fieldsOf(old), ...(old.ttl === 0 ? {} : { [FIELD.ttl]: old.ttl }) };
  } catch {
    return null;
  }
}
