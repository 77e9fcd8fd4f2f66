import { encodeChunk } from '../../../shared/domain/codecs/board-codec.ts';
import { setRecord, emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { FRESH } from '../../../shared/domain/scoreboard/index-record.ts';
import { encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { alarmText, encodeRow } from '../../../shared/adapters/rows/lmdb-layout.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import { CRON_SHARD, attemptKey } from '../../../shared/store/programs/row-keys.ts';
import { alarmOf } from '../../../shared/store/programs/stored-alarms.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import { FIELD, type Fields } from '../../../shared/store/rows/row.ts';
import { aSchedulerRow } from '../a-scheduler-row.ts';
import { putRaw } from './raw-rows.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { packMark, packPods, packPublished } from '../../../shared/store/programs/row-bodies.ts';
import { MINUTE_MS, T0, aNewJob, anArn, anAttempt, anEntry, at, following } from '../store-under-test.ts';

/** A row of an LMDB file of format 2: its fields, or bytes as they are. */
export type OldRow = Fields | Buffer;

/** As rows lay in files of format 2: as today, under another number. */
function bytesOf(fields: Fields): Buffer {
  const bytes = encodeRow(fields);
  bytes[0] = 2;
  return bytes;
}

/** Writes an LMDB file as a release did whose format was 2. Names are partition and sort key with a space. */
export async function writeFormat2(path: string, rows: Readonly<Record<string, OldRow>>): Promise<void> {
  const raw: Record<string, Buffer> = { FORMAT: FORMAT_2 };
  for (const [name, row] of Object.entries(rows)) {
    raw[name] = Buffer.isBuffer(row) ? row : bytesOf(row);
    const alarm = Buffer.isBuffer(row) ? null : alarmText(name.replace(' ', '\0'), row);
    if (alarm !== null) raw[alarm] = Buffer.of(0);
  }
  await putRaw(path, raw);
}
const FORMAT_2 = Buffer.from('01000000004000000000000000', 'hex');

const body = (value: unknown): Fields => ({ [FIELD.body]: json(value) });

/** STATUS as format 9 has it. */
export function oldStatus(status: Status): Uint8Array {
  const bytes = encodeStatus(status);
  bytes[0] = 9;
  return bytes;
}

export const UID = asJobUid('u-1');
const JOB = aNewJob({ uid: UID, name: 'sums', completions: 5_000 });
export const SPEC = JOB.spec;
export const STATUS = following(JOB.status, 'waits', { alarms: [at(90_000)] });
/** A Job without an alarm, which is deleted. */
export const GONE = asJobUid('u-2');
export const GONE_STATUS = aNewJob({ uid: GONE }).status;
export const CHUNK = emptyChunk();
setRecord(CHUNK, 1, { ...FRESH, state: 'succeeded' });
export const TEMPLATE = { taskDefinition: 'td:1', containers: ['main'], placement: '{}' };
export const RECENT = [
  { index: 2, attempt: 1, state: 'running', number: 1 },
  { index: 7, attempt: 2, state: 'gone', number: 3 },
] as const;
export const PUBLISHED = { base: 1, through: 2, ending: 3, recent: RECENT };
export const SHOWN = { phase: { kind: 'running' }, pods: {} };
export const SLOT = { index: 9, attempt: 1, nonce: 1, state: 'launched', taskArn: anArn(9), since: T0 } as const;
export const HOST = { index: 3, serviceId: 'srv-1', tasks: [] };
export const RESERVATION = { uid: UID, count: 10, at: T0 };
export const DOCUMENT = { metadata: { uid: 'r-1' }, rules: [] };
export const CHANGE = { type: 'ADDED', key: { namespace: 'team', name: 'a!b/ä' }, document: DOCUMENT } as const;
const { uid: _uid, version: _version, ...scheduler } = aSchedulerRow({ alarmAt: at(12_345) });
export const CRON = scheduler;
export const PACE = {
  nextFreeAt: at(5),
  cut: { share: 0.5, at: at(1) },
  recent: { at: T0, namespaces: [{ namespace: 'default', granted: 3 }] },
};
export const LETTER = {
  queue: 'facts',
  id: 'm-1',
  body: '{}',
  reason: 'Error',
  sentAt: T0,
  job: UID,
  filedAt: at(1),
} as const;
export const CONTENT = '0b5dd5a2-0000-4000-8000-000000000001';
const sized = { count: 2, bytes: 120, sha256: 'sha-0', widest: { columns: [5], line: 8 } };
export const PART = { no: 0, ...sized };
export const HEAD = {
  content: CONTENT,
  namespace: 'default',
  name: 'fruits',
  columns: ['FRUIT'],
  itemsPerPart: 1_000,
  createdAt: T0,
  sealed: sized,
};
export const RUN = { first: 0, rows: [['apple'], ['pear']] };
export const USE = { job: UID, at: T0 };
export const WAITER = { namespace: 'default', upstream: 'prepare', uid: UID, name: 'sums', byIndex: true };

/** The row of an attempt of {@link UID}. */
export function nameOfAttempt(index: number, attempt: number): string {
  const { partition, sort } = attemptKey(UID, index, attempt);
  return `${partition} ${sort}`;
}

export const TTL = Math.ceil(at(10 * MINUTE_MS) / 1000);

/** Every kind of row. */
export const EVERY_KIND: Readonly<Record<string, OldRow>> = {
  'JOB#u-1 SPEC': body(SPEC),
  'JOB#u-1 STATUS': {
    version: STATUS.version,
    ...alarmOf(UID, STATUS),
    body: oldStatus(STATUS),
  },
  'JOB#u-2 STATUS': { version: GONE_STATUS.version, ttl: TTL, body: oldStatus(GONE_STATUS) },
  'JOB#u-1 BOARD#001': { version: 4, body: encodeChunk(CHUNK, 904) },
  'JOB#u-1 TEMPLATE': body([TEMPLATE]),
  'JOB#u-2 TEMPLATE': { version: 2, ttl: TTL, ...body([TEMPLATE, TEMPLATE]) },
  'JOB#u-1 MARK': { version: 5, seq: 50, number: 3, at: T0, ...body({ ...packMark(PUBLISHED), shown: SHOWN }) },
  'JOB#u-2 MARK': { version: 1, seq: 10, number: 1, at: T0, ttl: TTL },
  'JOB#u-1 ANNOUNCED': { version: 3, ttl: TTL },
  'JOB#u-1 TOLD#001': { through: 2, ...body(packPublished(RECENT)) },
  'JOB#u-1 TOLD#tail': { through: 2, ...body(packPublished(RECENT)) },
  'JOB#u-1 LAUNCH#000000': { version: 2, ttl: TTL, ...body([SLOT]) },
  'JOB#u-1 HOSTS#000000': { version: 6, ttl: TTL, ...body([HOST]) },
  'LIMIT#hosts LIMIT': { version: 1, ...body([RESERVATION]) },
  [nameOfAttempt(4_097, 1)]: { ttl: TTL, ...body(anAttempt(4_097)) },
  [nameOfAttempt(4_098, 2)]: { ttl: TTL, ...body(anAttempt(4_098, 2, 1)) },
  'NS#default NAME#Job#sums': { uid: UID, owner: 'o-1' },
  'NS#default NAME#Job#other': { uid: GONE },
  'OBJECT#Namespace !default': { version: 1, ...body({ metadata: { uid: 'ns' } }) },
  'OBJECT#ServiceAccount team!a!b/ä': { version: 7, ...body(DOCUMENT) },
  'FEED#ServiceAccount 000000000000007': { ttl: TTL, ...body(CHANGE) },
  'FEED#ServiceAccount HEAD': { number: 7 },
  'FEED#Job 000000000000003': {
    at: T0,
    ttl: TTL,
    ...body([{ ...anEntry(UID, 0, 1), pods: packPods([{ index: 1, attempt: 1, state: 'running' }]) }]),
  },
  'FEED#Job HEAD': { number: 3 },
  'CRON#c-1 STATE': {
    version: 8,
    [FIELD.alarmShard]: CRON_SHARD,
    [FIELD.alarmMinute]: at(12_345) / MINUTE_MS,
    ...body(CRON),
  },
  'CRON#c-2 STATE': { version: 1, ...body({ ...CRON, alarmAt: null }) },
  'LIMIT#launch LIMIT': {
    version: 9,
    nextFreeAt: PACE.nextFreeAt,
    cutShare: PACE.cut.share,
    cutAt: PACE.cut.at,
    recent: JSON.stringify(PACE.recent),
  },
  'LIMIT#stop LIMIT': { version: 2, nextFreeAt: T0 },
  [`DEAD ${String(T0).padStart(15, '0')}#facts#m-1`]: { ttl: TTL, ...body(LETTER) },
  [`CONTENTS ${CONTENT}`]: {},
  [`ITEMS#${CONTENT} HEAD`]: { version: 1, ...body({ head: HEAD, removingSince: null }) },
  [`ITEMS#${CONTENT} PART#0000000`]: { [FIELD.by]: PART.sha256, ...body(PART) },
  [`ITEMS#${CONTENT} RUN#0000000`]: body(RUN),
  [`ITEMS#${CONTENT} USED#u-1`]: body(USE),
  'AFTER#default prepare!u-1': { ttl: TTL, ...body(WAITER) },
};
