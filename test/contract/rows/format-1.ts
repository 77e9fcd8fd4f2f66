import { open } from 'lmdb';
import { encodeChunk } from '../../../shared/domain/scoreboard/board-codec.ts';
import { setRecord, emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { FRESH_CRON } from '../../../shared/domain/cron/cron-state.ts';
import { FRESH } from '../../../shared/domain/scoreboard/index-record.ts';
import { encodeStatus } from '../../../shared/domain/scoreboard/status-codec.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { packMark, packPods, packPublished } from '../../../shared/store/programs/row-bodies.ts';
import { MINUTE_MS, T0, aNewJob, anArn, anAttempt, anEntry, at, following } from '../store-under-test.ts';

/** A row of an LMDB file of format 1. */
export type OldRow = { readonly body?: unknown; readonly version?: number; readonly ttl?: number };

/** Bytes: layout (1), ttl in seconds or 0 (4), version (8), then the body: bytes, or JSON. */
function bytesOf({ body = Buffer.alloc(0), version = 0, ttl = 0 }: OldRow): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt8(1);
  head.writeUInt32BE(ttl, 1);
  head.writeDoubleBE(version, 5);
  return Buffer.concat([head, body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))]);
}

/** Writes an LMDB file as a release did whose format was 1. Bytes are rows as they are. */
export async function writeFormat1(path: string, rows: Readonly<Record<string, OldRow | Buffer>>): Promise<void> {
  const file = open<Buffer, string>({ path, noSubdir: true, encoding: 'binary', overlappingSync: false });
  await file.transaction(() => {
    file.putSync('FORMAT', bytesOf({ version: 1 }));
    for (const [key, row] of Object.entries(rows)) file.putSync(key, Buffer.isBuffer(row) ? row : bytesOf(row));
  });
  await file.close();
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
export const CRON = {
  kind: 'CronJob',
  key: { namespace: 'default', name: 'nightly' },
  state: FRESH_CRON,
  alarmAt: at(12_345),
} as const;
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

export const TTL = Math.ceil(at(10 * MINUTE_MS) / 1000);

function withAlarm(minute: number, status: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeDoubleBE(minute);
  return Buffer.concat([head, status]);
}

const ALARM_MINUTE = Math.ceil(at(90_000) / MINUTE_MS);

/** Every kind of row. */
export const EVERY_KIND: Readonly<Record<string, OldRow>> = {
  'JOB#u-1#SPEC': { body: SPEC },
  'JOB#u-1#STATUS': { body: withAlarm(ALARM_MINUTE, encodeStatus(STATUS)), version: STATUS.version },
  [`ALARM#${String(ALARM_MINUTE).padStart(12, '0')}#u-1`]: {},
  'JOB#u-2#STATUS': { body: withAlarm(-1, encodeStatus(GONE_STATUS)), version: GONE_STATUS.version, ttl: TTL },
  'JOB#u-1#BOARD#001': { body: encodeChunk(CHUNK, 904), version: 4 },
  'JOB#u-1#TEMPLATE': { body: [TEMPLATE] },
  'JOB#u-2#TEMPLATE': { body: [TEMPLATE, TEMPLATE], ttl: TTL },
  'JOB#u-1#MARK': {
    body: { seq: 50, number: 3, at: T0, published: packMark(PUBLISHED), shown: SHOWN },
    version: 5,
  },
  'JOB#u-2#MARK': { body: { seq: 10, number: 1, at: T0, published: null }, version: 1, ttl: TTL },
  'JOB#u-1#ANNOUNCED': { version: 3, ttl: TTL },
  'JOB#u-1#PUBLISHED#001': { body: packPublished(RECENT), version: 2 },
  'JOB#u-1#PUBLISHED#tail': { body: packPublished(RECENT), version: 2 },
  'LAUNCH#u-1#000000': { body: [SLOT], version: 2, ttl: TTL },
  'HOSTS#u-1#000000': { body: [HOST], version: 6, ttl: TTL },
  RESERVED: { body: [RESERVATION] },
  'ATTEMPT#u-1#004097#000001': { body: anAttempt(4_097), ttl: TTL },
  'ATTEMPT#u-1#004098#000002': { body: anAttempt(4_098, 2, 1), ttl: TTL },
  'NAME#default!sums': { body: { uid: UID, ownerUid: 'o-1' } },
  'NAME#default!other': { body: { uid: GONE, ownerUid: null } },
  'OBJECT#Namespace#!default': { body: { metadata: { uid: 'ns' } }, version: 1 },
  'OBJECT#Role#team!a!b/ä': { body: DOCUMENT, version: 7 },
  'FEED#Role#000000000000007': { body: CHANGE, ttl: TTL },
  'HEAD#Role': { version: 7 },
  'FEED#Job#000000000000003': {
    body: {
      at: T0,
      entries: [{ ...anEntry(UID, 0, 1), pods: packPods([{ index: 1, attempt: 1, state: 'running' }]) }],
    },
    ttl: TTL,
  },
  'HEAD#Job': { version: 3 },
  'CRON#c-1': { body: CRON, version: 8 },
  [`CRONALARM#${String(at(12_345)).padStart(15, '0')}#c-1`]: {},
  'CRON#c-2': { body: { ...CRON, alarmAt: null }, version: 1 },
  'LIMIT#launch': { body: PACE, version: 9 },
  'LIMIT#stop': { body: { nextFreeAt: T0, cut: null }, version: 2 },
  [`DEAD#${String(T0).padStart(15, '0')}#facts#m-1`]: { body: LETTER, ttl: TTL },
  [`CONTENT#${CONTENT}`]: { body: { head: HEAD, removingSince: null } },
  [`ITEMS#${CONTENT}#PART#0000000`]: { body: PART },
  [`ITEMS#${CONTENT}#RUN#0000000`]: { body: RUN },
  [`ITEMS#${CONTENT}#USED#u-1`]: { body: USE },
  'AFTER#default!prepare!u-1': { body: WAITER, ttl: TTL },
};
