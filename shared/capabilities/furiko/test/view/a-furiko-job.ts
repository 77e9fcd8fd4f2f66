import type { EpochMs } from '../../../../domain/base/time.ts';
import { LOST } from '../../../../domain/planner/ending.ts';
import type { FurikoJobSpec, FurikoPart, Parallelism } from '../../domain/furiko-job.ts';
import { type FurikoStatus, furikoStatus } from '../../domain/view/furiko-status.ts';
import type { TaskFacts } from '../../domain/view/task-ref.ts';
import { setRecord } from '../../../../domain/scoreboard/board.ts';
import { FRESH, type IndexRecord } from '../../../../domain/scoreboard/index-record.ts';
import type { Phase, Status, Verdict } from '../../../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../../domain/scoreboard/working-board.ts';
import { aBoard, at } from '../../../../../test/support/a-board.ts';

export type Wish = {
  readonly phase?: Phase;
  readonly status?: Partial<Status>;
  /** null: no parallelism block. Omitted: as many indexes as the board has. */
  readonly parallelism?: Parallelism | null;
  readonly maxAttempts?: number;
  readonly spec?: Partial<FurikoJobSpec>;
  readonly admissionError?: string;
  readonly tasks?: readonly TaskFacts[];
  /** Records that no letter stands for. */
  readonly records?: { readonly [index: number]: Partial<IndexRecord> };
};

/** The status of a Furiko Job whose board is as the strip says: see `a-board.ts`. */
export function shown(strip: string, wish: Wish = {}): FurikoStatus {
  const { status, stored } = aBoard(strip, {
    ...(wish.phase === undefined ? {} : { phase: wish.phase }),
    ...(wish.status === undefined ? {} : { status: wish.status }),
  });
  for (const [index, record] of Object.entries(wish.records ?? {})) {
    const chunk = stored.get(0);
    if (chunk !== undefined) setRecord(chunk, Number(index), { ...FRESH, ...record });
  }
  const board = new WorkingBoard(status, stored);
  return furikoStatus({
    part: aPart({ ...wish, count: strip.replaceAll(' ', '').length }),
    createdAt: at(-60),
    status,
    record: (index) => board.record(index),
    tasks: wish.tasks ?? [],
  });
}

const aPart = (wish: Wish & { readonly count: number }): FurikoPart => {
  const { parallelism = { withCount: wish.count, completionStrategy: 'AllSuccessful' }, maxAttempts = 1 } = wish;
  return {
    metadata: {},
    spec: {
      type: 'Adhoc',
      template: {
        taskTemplate: { pod: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } },
        ...(parallelism === null ? {} : { parallelism }),
        maxAttempts,
      },
      ttlSecondsAfterFinished: 3600,
      ...wish.spec,
    },
    config: null,
    ...(wish.admissionError === undefined ? {} : { admissionError: wish.admissionError }),
  };
};

// --- verdicts

export const SUCCESS: Verdict = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
};
export const ANY: Verdict = { kind: 'complete', reason: 'SuccessPolicy', message: 'Matched rules', decidedBy: 0 };
export const FAILURE: Verdict = {
  kind: 'failed',
  reason: 'MaxFailedIndexesExceeded',
  message: 'Job has exceeded the specified maximal number of failed indexes',
  decidedBy: 1,
};
/** The planner's verdict on a Job whose kill time has passed. */
export const KILLED: Verdict = {
  ...FAILURE,
  reason: 'Killed',
  message: 'its kill time has passed',
  decidedBy: null,
};

export const draining = (verdict: Verdict): Phase => ({ kind: 'draining', verdict, since: at(20) });
export const finished = (verdict: Verdict): Phase => ({ kind: 'finished', verdict, since: at(20), at: at(30) });

// --- tasks

type Ended = Extract<TaskFacts, { readonly kind: 'ended' }>;

const aTask = (index: number, attempt = 1) => ({
  index,
  attempt,
  name: `work-${index}-abcde`,
  createdAt: at(index),
  node: 'fargate-1',
});

export const live = (
  index: number,
  more: {
    readonly runningAt?: EpochMs;
    readonly stopping?: boolean;
    readonly overdue?: boolean;
    readonly attempt?: number;
  } = {},
): TaskFacts => ({
  ...aTask(index, more.attempt),
  kind: 'live',
  runningAt: more.runningAt ?? null,
  stopping: more.stopping ?? false,
  overdue: more.overdue ?? false,
  wait: null,
});

export const ended = (
  index: number,
  ending: Partial<Ended['record']['ending']>,
  judgement: Ended['record']['judgement'],
  attempt = 1,
): TaskFacts => ({
  ...aTask(index, attempt),
  kind: 'ended',
  record: {
    ending: { cause: 'Stopped', exitCode: null, container: null, reason: 'StopTask', ...ending },
    times: { createdAt: at(index), startedAt: at(index + 1), stoppedAt: ending === LOST ? null : at(index + 10) },
    judgement,
  },
});
