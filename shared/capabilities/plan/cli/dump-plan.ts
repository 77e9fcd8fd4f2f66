import type { ClusterDump, DumpPlan, DumpedStatus, JobStatusObject } from '../domain/cluster-dump.ts';
import { formatIndexSet, indexSetOf } from '../../../domain/base/index-set.ts';
import type { JobEvent } from '../../../domain/scoreboard/status.ts';
import { formatDuration } from '../../../../cli/text/age.ts';
import { onOneLine } from '../../../../cli/text/table.ts';

/** Names listed individually. More would hide what matters, and `-o json` has them all. */
const NAMES_MAX = 10;

/** Says in sentences what the controller would do with a dump. `nowMs`: the moment to plan for. */
export function renderDumpPlan({ job, pods }: ClusterDump, plan: DumpPlan, nowMs: number): string {
  const total = job.spec.completions;
  const started = job.status.startTime === null ? '' : `, started ${formatDuration(nowMs - job.status.startTime)} ago`;
  const before = countsOf(countersOf(job.status), total);
  const after = countsOf(plan.status, total);
  const deeds = deedsOf(job.status, plan);
  const lines = [
    `Job ${job.namespace}/${job.name} at ${asTime(nowMs)}, with ${several(pods.length, 'Pod')}${started}.`,
    `It stands at ${before}.${standingOf(job.status)}`,
    '',
    ...section('The controller would now', deeds.length > 0 || before === after ? deeds : ['write the counts below']),
    ...(plan.because.length === 0 ? [] : section('Why', cut(plan.because))),
    ...(before === after ? [] : [`After this pass it stands at ${after}.`, '']),
    ...(plan.events.length === 0 ? [] : section('Events', eventSentences(plan.events))),
    plan.requeueAfterSec === null
      ? 'It checks again only when the Job or one of its Pods changes.'
      : `It checks again in ${lengthOf(plan.requeueAfterSec)}, or when the Job or one of its Pods changes.`,
  ];
  return lines.map((line) => `${onOneLine(line)}\n`).join('');
}

function deedsOf(
  before: DumpedStatus,
  { create, delete: gone, account, release, status }: DumpPlan,
): readonly string[] {
  const had = new Set(before.conditions.map(({ type, status: truth }) => `${type}=${truth}`));
  const conditions = (status.conditions ?? []).filter(({ type, status: truth }) => !had.has(`${type}=${truth}`));
  return [
    ...creations(create),
    ...(gone.length === 0 ? [] : [`delete ${several(gone.length, 'Pod')}: ${namesOf(gone)}`]),
    ...(account.length === 0
      ? []
      : [`count ${several(account.length, 'finished Pod')} and remove the finalizer: ${namesOf(account)}`]),
    ...(release.length === 0
      ? []
      : [`remove the finalizer of ${several(release.length, 'Pod')} without counting: ${namesOf(release)}`]),
    ...conditions.map(
      ({ type, status: truth, reason = '', message = '' }) =>
        `set the condition ${type} to ${truth}${reason === '' ? '' : ` (${reason}: ${message})`}`,
    ),
  ];
}

/** One sentence for all Pods that are created after the same delay. */
function creations(create: DumpPlan['create']): readonly string[] {
  const waits = new Map<number, (number | null)[]>();
  for (const { index, afterSec } of create) waits.set(afterSec, [...(waits.get(afterSec) ?? []), index]);
  return [...waits.entries()]
    .sort(([a], [b]) => a - b)
    .map(([afterSec, indexes]) => {
      const known = indexes.filter((index) => index !== null).sort((a, b) => a - b);
      const which = known.length === 0 ? '' : ` for ${known.length === 1 ? 'index' : 'indexes'} ${shownIndexes(known)}`;
      const what = `create ${several(indexes.length, 'Pod')}${which}`;
      return afterSec === 0 ? what : `${what}, after ${lengthOf(afterSec)} of back-off`;
    });
}

const shownIndexes = (ascending: readonly number[]): string => fewIndexes(formatIndexSet(indexSetOf(ascending)));

const countersOf = (status: DumpedStatus): Counters => ({
  ...status,
  failedIndexes: status.failedIndexes ?? '',
});

type Counters = Pick<
  JobStatusObject,
  'active' | 'ready' | 'terminating' | 'succeeded' | 'failed' | 'completedIndexes' | 'failedIndexes'
>;

function countsOf(status: Counters, total: number | null): string {
  const { active = 0, ready = 0, terminating = 0, succeeded = 0, failed = 0 } = status;
  const done = total === null ? `${succeeded} succeeded` : `${succeeded} of ${total} succeeded`;
  const indexes = (text = ''): string => (text === '' ? '' : ` (indexes ${fewIndexes(text)})`);
  return [
    `${done}${indexes(status.completedIndexes)}`,
    `${failed} failed${indexes(status.failedIndexes)}`,
    `${active} active (${ready} ready)`,
    `${terminating} terminating`,
  ].join(', ');
}

/** The conditions that are already true. */
function standingOf({ conditions }: DumpedStatus): string {
  const held = conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
  return held.length === 0 ? '' : ` Its conditions: ${held.join(', ')}.`;
}

/** Reasons of Events that say which Pod was created or deleted. */
const ABOUT_PODS: readonly string[] = ['SuccessfulCreate', 'SuccessfulDelete'];

/** One sentence for all Pod events that differ only in the name. */
function eventSentences(events: DumpPlan['events']): readonly string[] {
  const groups = new Map<string, { readonly first: JobEvent; times: number }>();
  for (const event of events) {
    const { reason, message } = event;
    const key = ABOUT_PODS.includes(reason) ? reason : `${reason} ${message}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: event, times: 1 });
    else group.times++;
  }
  return [...groups.values()].map(
    ({ first: { type, reason, message }, times }) =>
      `${type} ${reason}: ${message}${times === 1 ? '' : ` (and ${times - 1} more)`}`,
  );
}

const section = (head: string, sentences: readonly string[]): readonly string[] => [
  head,
  ...(sentences.length === 0 ? ['nothing'] : sentences).map((sentence) => `  - ${sentence}`),
  '',
];

const several = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const namesOf = (names: readonly string[]): string => cut(names).join(', ');

/** The first names, and the number of the others. */
const cut = (parts: readonly string[]): readonly string[] =>
  parts.length <= NAMES_MAX ? parts : [...parts.slice(0, NAMES_MAX), `and ${parts.length - NAMES_MAX} more`];

/** `0-3,7`; a long list is cut and ends in dots. */
function fewIndexes(text: string): string {
  const parts = text.split(',');
  return parts.length <= NAMES_MAX ? text : `${parts.slice(0, NAMES_MAX).join(',')},...`;
}

const lengthOf = (sec: number): string => formatDuration(Math.ceil(sec) * 1000);

const asTime = (ms: number): string => new Date(ms).toISOString().replace(/\.000Z$/, 'Z');
