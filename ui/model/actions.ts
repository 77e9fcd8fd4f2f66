import { rerunName } from '../../shared/domain/manifests/rerun-name.ts';
import { kubectlLine, musterLine } from './commands.ts';
import { jobNow, rerunOf } from './copies.ts';
import type { JobRow } from './job-row.ts';
import type { CronJob, Job } from './objects.ts';

/** One request. */
export type Call = { readonly method: 'POST' | 'PATCH' | 'DELETE'; readonly path: string; readonly body?: object };

/** What a user can do, with the command line that does the same. */
export type Action = {
  readonly label: string;
  /** What it does, in one sentence. */
  readonly says: string;
  readonly command: string;
  readonly call: Call;
  /** It cannot be undone. */
  readonly isFinal: boolean;
  /** A number or a set of indexes that is asked for first, and what becomes of the action with it. */
  readonly asks?: { readonly label: string; readonly value: string; readonly withValue: (value: string) => Action };
};

const jobPath = (namespace: string, name: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;

/** What can be done with a Job as it stands, the usual first. */
export function actionsOf(job: Job, row: JobRow): readonly Action[] {
  const { namespace, name, isOver, state } = row;
  const isIndexed = job.spec.completionMode === 'Indexed';
  if (isOver) return [...(isIndexed ? [rerunAction(job, row)] : []), deletion(row)];
  return [
    state === 'suspended'
      ? patch('Resume', 'Its indexes run again.', musterLine(namespace, 'resume', name), row, { suspend: false })
      : patch(
          'Suspend',
          'Stops its tasks until it is resumed. What has succeeded stays.',
          musterLine(namespace, 'suspend', name),
          row,
          { suspend: true },
        ),
    scaling(row, String(job.spec.parallelism ?? 1)),
    deletion(row),
  ];
}

function patch(label: string, says: string, command: string, { namespace, name }: JobRow, spec: object): Action {
  return {
    label,
    says,
    command,
    call: { method: 'PATCH', path: jobPath(namespace, name), body: { spec } },
    isFinal: false,
  };
}

function scaling(row: JobRow, parallelism: string): Action {
  const { namespace, name } = row;
  return {
    ...patch(
      'Scale',
      'Changes how many of its tasks run at once.',
      musterLine(namespace, 'scale', name, '--parallelism', parallelism),
      row,
      { parallelism: Number(parallelism) },
    ),
    asks: { label: 'How many at once', value: parallelism, withValue: (value) => scaling(row, value) },
  };
}

const INDEX_ACTIONS = {
  hold: { label: 'Hold indexes', says: 'They get no attempt until they are released. What runs goes on.' },
  release: { label: 'Release indexes', says: 'Those that are held may run.' },
  requeue: {
    label: 'Requeue indexes',
    says: 'Stops their attempts and puts them back; that spends none of their tries.',
  },
  cancel: {
    label: 'Cancel indexes',
    says: 'Gives them up: they never run again, and the Job is complete without them.',
  },
} as const;

/** What can be done with single indexes of a Job that is not over. */
export const indexActions = (of: Pick<JobRow, 'namespace' | 'name'>, indexes: string): readonly Action[] =>
  (['hold', 'release', 'requeue', 'cancel'] as const).map((verb) => indexAction(verb, of, indexes));

function indexAction(
  verb: keyof typeof INDEX_ACTIONS,
  { namespace, name }: Pick<JobRow, 'namespace' | 'name'>,
  indexes: string,
): Action {
  const { label, says } = INDEX_ACTIONS[verb];
  return {
    label,
    says,
    command: musterLine(namespace, verb, name, '--indexes', indexes),
    call: {
      method: 'POST',
      path: `/muster/v1/namespaces/${namespace}/jobs/${name}/indexes`,
      body: { action: verb, indexes },
    },
    isFinal: verb === 'cancel',
    asks: {
      label: 'Indexes, such as 3,7-9',
      value: indexes,
      withValue: (value) => indexAction(verb, { namespace, name }, value),
    },
  };
}

function rerunAction(job: Job, { namespace, name, total }: JobRow): Action {
  const again = (nth: number): Action => {
    const newName = rerunName(name, total ?? 0, nth);
    return {
      label: 'Run failed again',
      says: 'A new Job runs what has not succeeded, and inherits what has.',
      command: musterLine(namespace, 'rerun', name, '--name', newName),
      call: {
        method: 'POST',
        path: `/apis/batch/v1/namespaces/${namespace}/jobs?fieldValidation=Strict`,
        body: rerunOf(job, newName, null),
      },
      isFinal: false,
      asks: {
        label: 'Its number, if there is a rerun already',
        value: String(nth),
        withValue: (value) => again(Number(value)),
      },
    };
  };
  return again(1);
}

const deletion = ({ namespace, name }: JobRow): Action => ({
  label: 'Delete',
  says: 'Deletes the Job, and with it what is known of its attempts. Tasks that run are stopped.',
  command: musterLine(namespace, 'delete', name),
  call: {
    method: 'DELETE',
    path: jobPath(namespace, name),
    body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
  },
  isFinal: true,
});

/** What can be done with a CronJob. */
export function cronActions(cron: CronJob): readonly Action[] {
  const { name, namespace = '' } = cron.metadata;
  const path = `/apis/batch/v1/namespaces/${namespace}/cronjobs/${name}`;
  const isPaused = cron.spec.suspend === true;
  return [
    {
      label: 'Run now',
      says: 'Creates a Job of its template now, whatever its schedule says.',
      command: musterLine(namespace, 'cron', 'run-now', name),
      call: { method: 'POST', path: `/apis/batch/v1/namespaces/${namespace}/jobs`, body: jobNow(cron) },
      isFinal: false,
    },
    {
      label: isPaused ? 'Resume' : 'Pause',
      says: isPaused ? 'Its slots get Jobs again.' : 'Its slots get no Jobs until it is resumed. Jobs that run go on.',
      command: musterLine(namespace, 'cron', isPaused ? 'resume' : 'pause', name),
      call: { method: 'PATCH', path, body: { spec: { suspend: !isPaused } } },
      isFinal: false,
    },
    {
      label: 'Delete',
      says: 'Deletes the CronJob and the Jobs that it owns.',
      command: kubectlLine(namespace, 'delete', 'cronjob', name),
      call: { method: 'DELETE', path },
      isFinal: true,
    },
  ];
}
