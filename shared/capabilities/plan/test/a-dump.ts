import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import type { ClusterDump, DumpPlan } from '../domain/cluster-dump.ts';
import { explainDump } from '../domain/explain-dump.ts';
import { readClusterDump } from '../schema/read-cluster-dump.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';

// Dumps made by hand, in seconds after T0, read as muster plan reads them; and plans told in few words.

export const T0 = asEpochMs(Date.parse('2026-01-01T00:00:00Z'));
const at = (sec: number): EpochMs => plusMs(T0, sec * 1000);
export const time = (sec: number): string => new Date(at(sec)).toISOString().replace('.000Z', 'Z');

type Fields = Readonly<Record<string, unknown>>;

export type DumpWish = {
  readonly spec?: Fields;
  /** Started at second 0 unless it says otherwise. */
  readonly status?: Fields;
  readonly metadata?: Fields;
  readonly pods?: readonly Fields[];
};

export function aDump({ spec = {}, status = {}, metadata = {}, pods = [] }: DumpWish): ClusterDump {
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'ns', uid: 'job', creationTimestamp: time(0), ...metadata },
    spec: { template: { spec: { restartPolicy: 'Never' } }, ...spec },
    status: { startTime: time(0), ...status },
  };
  const read = readClusterDump({ apiVersion: 'v1', kind: 'List', items: [job, ...pods] });
  if (read.kind === 'ok') return read.dump;
  throw new Error(read.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`).join('\n'));
}

export type PodWish = {
  readonly name?: string;
  readonly index?: number | string;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly ready?: boolean;
  /** Its container's, once it has ended. */
  readonly exitCode?: number;
  /** Second at which its container ended. */
  readonly finishedAt?: number;
  /** Second at which somebody asked to delete it; it has 30 s from then. */
  readonly deleted?: number;
  readonly finalizer?: boolean;
  readonly createdAt?: number;
  readonly failures?: number;
  readonly ignored?: number;
  readonly restarts?: number;
  readonly scheduled?: boolean;
  /** Types of its conditions that hold. */
  readonly conditions?: readonly string[];
};

/** A running Pod that is ready and carries the finalizer, unless it says otherwise. */
export function pod(wish: PodWish = {}): Fields {
  const { index, phase = 'Running', finalizer = true, createdAt = 0, failures, ignored } = wish;
  const name = wish.name ?? `p${index ?? ''}`;
  const hasEnded = phase === 'Succeeded' || phase === 'Failed';
  const ready = wish.ready ?? phase === 'Running';
  const terminated = {
    exitCode: wish.exitCode ?? (phase === 'Failed' ? 1 : 0),
    finishedAt: time(wish.finishedAt ?? 0),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'ns',
      uid: `uid-${name}`,
      creationTimestamp: time(createdAt),
      ...(wish.deleted === undefined
        ? {}
        : { deletionTimestamp: time(wish.deleted + 30), deletionGracePeriodSeconds: 30 }),
      finalizers: finalizer ? ['batch.kubernetes.io/job-tracking'] : [],
      ownerReferences: [{ uid: 'job', controller: true }],
      annotations: {
        ...(index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': String(index) }),
        ...(failures === undefined ? {} : { 'batch.kubernetes.io/job-index-failure-count': String(failures) }),
        ...(ignored === undefined ? {} : { 'batch.kubernetes.io/job-index-ignored-failure-count': String(ignored) }),
      },
    },
    spec: wish.scheduled === false ? {} : { nodeName: 'node' },
    status: {
      phase,
      conditions: [
        ...(ready ? [{ type: 'Ready', status: 'True', lastTransitionTime: time(createdAt) }] : []),
        ...(wish.conditions ?? []).map((type) => ({ type, status: 'True' })),
      ],
      containerStatuses: [
        {
          name: 'main',
          restartCount: wish.restarts ?? 0,
          state: hasEnded || wish.exitCode !== undefined ? { terminated } : { running: {} },
        },
      ],
    },
  };
}

export const succeeded = (index: number | undefined, wish: PodWish = {}): Fields =>
  pod({ ...(index === undefined ? {} : { index }), phase: 'Succeeded', ...wish });
export const failed = (index: number | undefined, wish: PodWish = {}): Fields =>
  pod({ ...(index === undefined ? {} : { index }), phase: 'Failed', ...wish });

export const pods = (count: number, wish: (no: number) => Fields): readonly Fields[] =>
  Array.from({ length: count }, (_, no) => wish(no));

/** A condition that holds, as a status has it. */
export const condition = (type: string, reason: string, message = 'm', sec = 0): Fields => ({
  type,
  status: 'True',
  reason,
  message,
  lastProbeTime: time(sec),
  lastTransitionTime: time(sec),
});

/** What the controller does with the dump at this second. */
export const planAt = (sec: number, wish: DumpWish, { caps = true } = {}): DumpPlan =>
  explainDump(aDump(wish), at(sec), { caps });

/** The same in few words: the order of Pods is nobody's promise, that of conditions is. */
export function told(plan: DumpPlan) {
  const { status } = plan;
  const byText = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });
  return {
    conditions: (status.conditions ?? [])
      .map(({ type, status: truth, reason }) => `${type}=${truth}${reason === undefined ? '' : ` ${reason}`}`)
      .join(', '),
    counts: `${status.active ?? 0} active ${status.ready ?? 0} ready ${status.terminating ?? 0} terminating ${status.succeeded ?? 0} succeeded ${status.failed ?? 0} failed`,
    completed: status.completedIndexes ?? '',
    failedIndexes: status.failedIndexes ?? null,
    uncounted: [
      ...(status.uncountedTerminatedPods?.succeeded ?? []),
      ...(status.uncountedTerminatedPods?.failed ?? []),
    ].join(' '),
    create: plan.create
      .map(({ index, afterSec }) => `${index ?? 'pod'}${afterSec === 0 ? '' : `+${afterSec}s`}`)
      .join(' '),
    delete: [...plan.delete].sort(byText).join(' '),
    account: [...plan.account].sort(byText).join(' '),
    release: [...plan.release].sort(byText).join(' '),
    requeue: plan.requeueAfterSec,
    events: plan.events.map(({ type, reason }) => `${type} ${reason}`).join(', '),
  };
}
