import { endOf } from '../client/job-end.ts';
import { shortItem } from '../../shared/domain/base/shown-index.ts';
import { ANNOTATIONS, HELD_CONDITION } from '../../shared/domain/manifests/annotations.ts';
import { indexesToSucceed } from '../../shared/domain/manifests/selection.ts';
import { type Job, type Pod, conditionOf } from '../client/api-objects.ts';
import { attemptOf, podMessage, podStatusWord, runMsOf, startedAtOf, tellingState } from '../client/pod-attempt.ts';
import { formatAge, formatDuration } from '../text/age.ts';
import { renderTable } from '../text/table.ts';

export type ListingOptions = {
  readonly wide: boolean;
  /** Adds a column for the namespace. */
  readonly namespaces: boolean;
  readonly nowMs: number;
};

type Column<T> = { readonly head: string; readonly cell: (item: T) => string; readonly when?: 'wide' | 'namespaces' };

/** Jobs. kubectl's columns are the API's own: `kube/jobs/job-printer.ts`. */
export const jobTable = (jobs: readonly Job[], options: ListingOptions): string =>
  tableOf<Job>(
    [
      { head: 'NAMESPACE', cell: ({ metadata }) => metadata.namespace, when: 'namespaces' },
      { head: 'NAME', cell: ({ metadata }) => metadata.name },
      { head: 'STATUS', cell: jobStatusWord },
      { head: 'COMPLETIONS', cell: completionsOf },
      { head: 'DURATION', cell: (job) => durationOf(job, options.nowMs) },
      { head: 'AGE', cell: ({ metadata }) => formatAge(metadata.creationTimestamp, options.nowMs) },
      { head: 'CONTAINERS', cell: ({ spec }) => namesOf(spec.template.spec.containers, 'name'), when: 'wide' },
      { head: 'IMAGES', cell: ({ spec }) => namesOf(spec.template.spec.containers, 'image'), when: 'wide' },
      { head: 'SELECTOR', cell: selectorOf, when: 'wide' },
    ],
    jobs,
    options,
  );

/** Pods: index and attempt come before kubectl's columns. */
export const podTable = (pods: readonly Pod[], options: ListingOptions): string =>
  tableOf<Pod>(
    [
      { head: 'NAMESPACE', cell: ({ metadata }) => metadata.namespace, when: 'namespaces' },
      { head: 'NAME', cell: ({ metadata }) => metadata.name },
      { head: 'INDEX', cell: (pod) => String(attemptOf(pod)?.index ?? NONE) },
      ...(pods.some((pod) => itemOf(pod) !== '') ? [ITEM] : []),
      { head: 'ATTEMPT', cell: (pod) => String(attemptOf(pod)?.attempt ?? NONE) },
      { head: 'STATUS', cell: podStatusWord },
      { head: 'EXIT', cell: exitOf },
      { head: 'DURATION', cell: (pod) => runTimeOf(pod, options.nowMs) },
      { head: 'AGE', cell: ({ metadata }) => formatAge(metadata.creationTimestamp, options.nowMs) },
      { head: 'STARTED', cell: (pod) => momentText(startedAtOf(pod)), when: 'wide' },
      { head: 'WHY', cell: (pod) => podMessage(pod) || NONE, when: 'wide' },
      { head: 'VERDICT', cell: ({ metadata }) => metadata.annotations[ANNOTATIONS.verdict] ?? NONE, when: 'wide' },
      { head: 'TASK', cell: ({ metadata }) => metadata.annotations[ANNOTATIONS.taskArn] ?? NONE, when: 'wide' },
    ],
    pods,
    options,
  );

const NONE = '<none>';

const itemOf = ({ metadata }: Pod): string => metadata.annotations[ANNOTATIONS.item] ?? '';
/** For Pods of Jobs that have a work list. */
const ITEM: Column<Pod> = { head: 'ITEM', cell: (pod) => shortItem(itemOf(pod)) || NONE };

function tableOf<T>(columns: readonly Column<T>[], items: readonly T[], options: ListingOptions): string {
  const shown = columns.filter(({ when }) => when === undefined || options[when]);
  return renderTable(
    shown.map(({ head }) => head),
    items.map((item) => shown.map(({ cell }) => cell(item))),
  );
}

/** Conditions that determine a Job's status, in kubectl's order; the first that is true wins. */
const STATUS_WORDS = ['Complete', 'Failed', 'Terminating', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

/** One word for a Job's status. */
function jobStatusWord(job: Job): string {
  const holds = (word: string): boolean =>
    word === 'Terminating' ? job.metadata.deletionTimestamp !== undefined : conditionOf(job, word) !== undefined;
  return STATUS_WORDS.find(holds) ?? (conditionOf(job, HELD_CONDITION) === undefined ? 'Running' : 'Held');
}

/** `3/5`, without excluded indexes; for a work queue, whose total is unknown, `1/1 of 4` by its parallelism. */
function completionsOf({ metadata, spec, status }: Job): string {
  const { completions, parallelism = 1 } = spec;
  if (completions !== undefined) {
    const chosen = metadata.annotations[ANNOTATIONS.indexes];
    return `${status.succeeded}/${indexesToSucceed(completions, chosen, status.completedIndexes)}`;
  }
  return parallelism > 1 ? `${status.succeeded}/1 of ${parallelism}` : `${status.succeeded}/1`;
}

/** How long the Job took, or has taken so far. kubectl keeps counting for a failed Job; we stop. */
function durationOf(job: Job, nowMs: number): string {
  const { startTime } = job.status;
  return startTime === undefined ? '' : formatDuration((endOf(job) ?? nowMs) - startTime);
}

const namesOf = <K extends string>(containers: readonly Readonly<Record<K, string>>[], key: K): string =>
  containers.map((container) => container[key]).join(',');

function selectorOf({ spec }: Job): string {
  const labels = Object.entries(spec.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? NONE : labels.join(',');
}

function exitOf(pod: Pod): string {
  const code = tellingState(pod).terminated?.exitCode;
  return code === undefined ? '' : String(code);
}

function runTimeOf(pod: Pod, nowMs: number): string {
  const ms = runMsOf(pod, nowMs);
  return ms === null ? '' : formatDuration(ms);
}

const momentText = (atMs: number | null): string =>
  atMs === null ? NONE : new Date(atMs).toISOString().replace(/\.000Z$/, 'Z');
