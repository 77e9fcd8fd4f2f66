import type { Brand } from './brand.ts';

/** Milliseconds since 1970, by our clock or ECS's. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** Seconds since 1970: DynamoDB's TTL attribute, and nowhere else. */
export type EpochSec = Brand<number, 'EpochSec'>;

export const asEpochMs = (ms: number): EpochMs => ms as EpochMs;

/** The moment `ms` after `at`. */
export const plusMs = (at: EpochMs, ms: number): EpochMs => (at + ms) as EpochMs;
/** The later of two moments. */
export const later = (a: EpochMs, b: EpochMs): EpochMs => (a > b ? a : b);
/** The sooner of two alarms, where null means "no alarm". */
export const soonest = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null ? b : b === null || a < b ? a : b;
/** The TTL that lets DynamoDB remove an item some time after `at`. */
export const toTtl = (at: EpochMs): EpochSec => Math.ceil(at / 1000) as EpochSec;
/** RFC 3339 in whole seconds, like all of Kubernetes' times. */
export const asTime = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
