import * as z from 'zod';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { ALARM_STEP_MS } from '../../../shared/ports/job-store.ts';
import {
  CONTENT_PARTITION,
  CRON_SHARD,
  FEED_HEAD_SORT,
  FEED_PARTITION,
  LETTER_PARTITION,
  NAME_PREFIX,
  attemptKey,
  contentPartition,
  cronKey,
  jobPartition,
  limitKey,
  namePartition,
  waiterPartition,
} from '../../../shared/store/programs/row-keys.ts';
import { alarmOf } from '../../../shared/store/programs/stored-alarms.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import { FIELD, type Fields, type RowKey } from '../../../shared/store/rows/row.ts';
import type { OldRow } from './format-1.ts';

export type NewRow = { readonly key: RowKey; readonly fields: Fields };

/** How rows become those of format 2: by how their keys begin, from what follows. Their ends of life are added later. */
type Mover = (rest: string, row: OldRow) => readonly NewRow[];

const row = (partition: string, sort: string, fields: Fields): NewRow => ({ key: { partition, sort }, fields });
const one =
  (key: (rest: string) => RowKey, fields: (row: OldRow) => Fields): Mover =>
  (rest, old) => [{ key: key(rest), fields: fields(old) }];

const body = ({ body: bytes }: OldRow): Fields => ({ [FIELD.body]: bytes });
const versioned = (old: OldRow): Fields => ({ [FIELD.version]: old.version, ...body(old) });
/** Format 1 did not count the versions of such a row. */
const firstVersion = (old: OldRow): Fields => ({ [FIELD.version]: 1, ...body(old) });
const parsed = <S extends z.ZodType>({ body: bytes }: OldRow, schema: S): z.output<S> =>
  schema.parse(JSON.parse(bytes.toString('utf8')));

/** Splits at the first mark. Throws where there is none. */
function split(text: string, mark: string): readonly [before: string, after: string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error('its key is cut off');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** STATUS began with the minute of its alarm, or -1. */
const ALARM_BYTES = 8;

function status(uid: string, { version, body: bytes }: OldRow): Fields {
  if (bytes.length < ALARM_BYTES) throw new Error('it is cut off');
  const minute = bytes.readDoubleBE();
  const alarms = minute < 0 ? [] : [asEpochMs(minute * ALARM_STEP_MS)];
  return { [FIELD.version]: version, [FIELD.body]: bytes.subarray(ALARM_BYTES), ...alarmOf(asJobUid(uid), { alarms }) };
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

/** A row in a Job's partition. */
function ofJob(rest: string, old: OldRow): readonly NewRow[] {
  const [uid, sort] = split(rest, '#');
  const partition = jobPartition(asJobUid(uid));
  const [kind = '', part = ''] = sort.split('#');
  switch (kind) {
    case 'SPEC':
      return [row(partition, sort, body(old))];
    case 'STATUS':
      return [row(partition, sort, status(uid, old))];
    case 'BOARD':
      return [row(partition, sort, versioned(old))];
    case 'TEMPLATE':
      return [row(partition, sort, templates(old))];
    case 'MARK':
      return [row(partition, sort, mark(old))];
    case 'ANNOUNCED':
      return [row(partition, sort, { [FIELD.version]: old.version })];
    case 'PUBLISHED':
      return [row(partition, `TOLD#${part}`, { through: old.version, ...body(old) })];
    default:
      throw new Error('its kind is unknown');
  }
}

/** Rows that lay apart from their Job's others. */
const besideJob =
  (kind: string): Mover =>
  (rest, old) => {
    const [uid, no] = split(rest, '#');
    return [row(jobPartition(asJobUid(uid)), `${kind}#${no}`, versioned(old))];
  };

const NameSchema = z.object({ uid: z.string(), ownerUid: z.string().nullable() });

function name(rest: string, old: OldRow): readonly NewRow[] {
  const [namespace, of] = split(rest, '!');
  const { uid, ownerUid } = parsed(old, NameSchema);
  const fields = { uid, ...(ownerUid === null ? {} : { owner: ownerUid }) };
  return [row(namePartition(namespace), NAME_PREFIX + of, fields)];
}

const FeedRowSchema = z.object({ at: z.number(), entries: z.array(z.unknown()) });

/** Rows of the Jobs' feed have their moment beside their body. */
function feedRow(rest: string, old: OldRow): readonly NewRow[] {
  const [feed, no] = split(rest, '#');
  const partition = `FEED#${feed}`;
  if (partition !== FEED_PARTITION) return [row(partition, no, body(old))];
  const { at, entries } = parsed(old, FeedRowSchema);
  return [row(partition, no, { at, [FIELD.body]: json(entries) })];
}

const CronSchema = z.object({ alarmAt: z.number().nullable() });
const MINUTE_MS = 60_000;

function cron(old: OldRow): Fields {
  const { alarmAt } = parsed(old, CronSchema);
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

function attempt(rest: string, old: OldRow): readonly NewRow[] {
  const [uid, of] = split(rest, '#');
  const [index, no] = split(of, '#');
  return [{ key: attemptKey(asJobUid(uid), Number(index), Number(no)), fields: body(old) }];
}

/** Parts, runs of items, and Jobs that use them. A part names its writer by what it holds. */
function ofContent(rest: string, old: OldRow): readonly NewRow[] {
  const [, content, sort] = /^(.+)#((?:PART|RUN|USED)#.*)$/s.exec(rest) ?? [];
  if (content === undefined || sort === undefined) throw new Error('its kind is unknown');
  const by = sort.startsWith('PART#') ? { [FIELD.by]: parsed(old, z.object({ sha256: z.string() })).sha256 } : {};
  return [row(contentPartition(content), sort, { ...by, ...body(old) })];
}

const MOVERS: Readonly<Record<string, Mover>> = {
  JOB: ofJob,
  LAUNCH: besideJob('LAUNCH'),
  HOSTS: besideJob('HOSTS'),
  ATTEMPT: attempt,
  NAME: name,
  RESERVED: one(() => limitKey('hosts'), firstVersion),
  OBJECT: (rest, old) => {
    const [kind, sort] = split(rest, '#');
    return [row(`OBJECT#${kind}`, sort, versioned(old))];
  },
  FEED: feedRow,
  HEAD: (feed, { version }) => [row(`FEED#${feed}`, FEED_HEAD_SORT, { number: version })],
  CRON: one(cronKey, cron),
  LIMIT: one(limitKey, pace),
  DEAD: one((sort) => ({ partition: LETTER_PARTITION, sort }), body),
  CONTENT: (content, old) => [
    row(CONTENT_PARTITION, content, {}),
    row(contentPartition(content), 'HEAD', firstVersion(old)),
  ],
  ITEMS: ofContent,
  AFTER: (rest, old) => {
    const [namespace, sort] = split(rest, '!');
    return [row(waiterPartition(namespace), sort, body(old))];
  },
  // The engine of format 2 keeps its index of alarms itself.
  ALARM: () => [],
  CRONALARM: () => [],
};

/**
 * What a row of format 1 is in format 2. What its body says is not checked, as far as it stays as it is.
 *
 * @param key of format 1
 * @throws Error where the key or the body is not as format 1 has it
 */
export function newRowsOf(key: string, old: OldRow): readonly NewRow[] {
  const at = key.indexOf('#');
  const kind = at === -1 ? key : key.slice(0, at);
  const mover = Object.hasOwn(MOVERS, kind) ? MOVERS[kind] : undefined;
  if (mover === undefined) throw new Error('its kind is unknown');
  const moved = mover(at === -1 ? '' : key.slice(at + 1), old);
  if (old.ttl === 0) return moved;
  return moved.map(({ key: at2, fields }) => ({ key: at2, fields: { ...fields, [FIELD.ttl]: old.ttl } }));
}
