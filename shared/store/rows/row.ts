import type { EpochMs } from '../../domain/base/time.ts';
import { TABLE } from '../../names/table.ts';
import type { Condition } from './condition.ts';

/** Where a row is: in a partition, in the order of its sort key (by bytes of UTF-8). */
export type RowKey = { readonly partition: string; readonly sort: string };

/** A field holds text, a number, or bytes; bytes are compressed where that pays. */
export type Value = string | number | Uint8Array;
export type Fields = Readonly<Record<string, Value>>;

export type Row = {
  readonly key: RowKey;
  readonly fields: Fields;
  /** Why the row as a whole cannot be read: it is damaged, or of a later release. Then it has no fields. */
  readonly fault?: Error;
  /** Makes an error that names the row and says what its owner can do, of one that its body cannot be decoded. */
  readonly unreadable?: (cause: unknown) => Error;
};

/** Names of the fields that many rows have. Short: DynamoDB charges for them. */
export const FIELD = {
  /** What the next write depends on. */
  version: 'version',
  /** Token of the write that made this version: a writer recognizes its own write if its answer was lost. */
  by: 'by',
  /** The rest, as bytes. */
  body: 'body',
  /** From this second on the row counts as absent, although it may be there for days (aws.md 2.5). */
  ttl: TABLE.ttl,
  /** These two put the row into the index of alarms. */
  alarmShard: TABLE.alarms.shard,
  alarmMinute: TABLE.alarms.minute,
} as const;

/** One write. A condition that does not hold refuses it; without one it is always carried out. */
export type Write = (
  | { readonly kind: 'put'; readonly fields: Fields }
  /** Sets and removes whole fields, and keeps the others, above all `ttl`. A row that does not exist is made. */
  | { readonly kind: 'update'; readonly set: Fields; readonly remove?: readonly string[] }
  | { readonly kind: 'delete' }
  /** In a transaction: nothing is written. */
  | { readonly kind: 'check' }
) & {
  readonly key: RowKey;
  readonly condition?: Condition;
  /** A refusal brings the existing row. */
  readonly returnOld?: boolean;
};

export type Update = Extract<Write, { readonly kind: 'update' }>;

/** Why one write (of a transaction) was not carried out. */
export type Refusal =
  /** The condition did not hold. `row`: the existing row, also an expired one, if the write wants it. */
  | { readonly kind: 'condition'; readonly row: Row | null }
  /** A transaction on the same row was in progress; whether it will succeed is unknown. */
  | { readonly kind: 'conflict' };

/** Rows of one partition with sort keys from `from` to `to`, both included. */
export type Range = {
  readonly partition: string;
  readonly from: string;
  readonly to: string;
  /** Omitted: as many as a page holds. */
  readonly limit?: number;
  readonly reverse?: boolean;
  /** May show what was there a moment ago, at half the price. */
  readonly isEventual?: boolean;
  /** The rows have no fields, so expired ones are among them, but they can have faults. */
  readonly keysOnly?: boolean;
  /** `next` of the page before. */
  readonly after?: RowKey | null;
};

export type Page = {
  readonly rows: readonly Row[];
  /** null: this was the last page. A page may be empty and not the last. */
  readonly next: RowKey | null;
};

export type AlarmRange = {
  readonly shard: number;
  /** In minutes since 1970, with decimals; null: all. */
  readonly until: number | null;
  readonly limit: number;
  readonly after: AlarmPlace | null;
};
export type AlarmPlace = { readonly minute: number; readonly key: RowKey };
export type AlarmPage = { readonly alarms: readonly AlarmPlace[]; readonly next: AlarmPlace | null };

/**
 * An engine: what a table can do, each call one request. Expired rows are rows like others. A call that throws may or may not have
 * taken effect. An engine may repeat a request whose answer was lost: then a refusal may show the row that the request itself has
 * written.
 */
export type Rows = {
  /** Reads each key by itself, strongly consistent. `unread`: keys to ask for again, because the table was busy. */
  get(keys: readonly RowKey[]): Promise<{ readonly rows: readonly Row[]; readonly unread: readonly RowKey[] }>;
  range(range: Range): Promise<Page>;
  /** null: carried out. */
  write(write: Write): Promise<Refusal | null>;
  /**
   * At most 100 writes of different rows: all are carried out (null), or none, with the refusals of each, in order. `token`: a
   * repeat within ten minutes is the same transaction.
   */
  transact(token: string, writes: readonly Write[]): Promise<readonly (Refusal | null)[] | null>;
  /** At most 25 puts and deletions without conditions, in any order. Returns those that were not carried out. */
  batch(writes: readonly Write[]): Promise<readonly Write[]>;
  /** The index of alarms, in order of their minute. It may be a moment behind. */
  alarms(range: AlarmRange): Promise<AlarmPage>;
  /** How many bytes a body takes as it is stored. */
  storedBytes(body: Uint8Array): number;
  /** Resolves when a writer that has lost may try again, after about this many ms. */
  pause(ms: number): Promise<unknown>;
  /** How many requests of one call may be in progress at once. */
  readonly atOnce: number;
};

/** Texts for errors. */
export const nameOf = ({ partition, sort }: RowKey): string => `row ${partition} ${sort}`;

/** Whether the row's time has passed. */
export function isExpired({ fields }: Pick<Row, 'fields'>, now: EpochMs): boolean {
  const ttl = fields[FIELD.ttl];
  return typeof ttl === 'number' && now >= ttl * 1000;
}
