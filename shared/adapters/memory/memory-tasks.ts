import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { type TaskArn, asTaskArn } from '../../domain/base/ids.ts';
import type { AttemptTimes, Ending } from '../../domain/base/fact.ts';
import { endingOf } from '../../domain/planner/ending.ts';
import type { LaunchedTask } from '../../domain/scoreboard/launch-row.ts';
import { type LaunchTemplate, type TaskDefinition, type TaskView, familyOf } from '../../domain/task/task.ts';
import type { Launch, Tasks } from '../../ports/tasks.ts';

/** What a task does unless it is stopped. */
export type Fate = {
  readonly startMs: number;
  /** Infinity: it hangs until it is stopped. */
  readonly runMs: number;
  readonly stopMs: number;
  readonly ending: Ending;
  /** ECS announces this long before the end that it takes the task's capacity back; omitted: it does not. */
  readonly noticeMs?: number;
  /** From its end to STOPPED, while ECS takes its network interface away; omitted: no time. */
  readonly deprovisionMs?: number;
};

/** Rare behavior of ECS; see {@link MemoryTasksOptions}. */
export type EcsQuirk = 'spot notice' | 'hidden at first' | 'forgotten by ECS';

export type MemoryTasksOptions = {
  readonly now: () => EpochMs;
  /** Calls `then` when `now()` reaches `moment`. */
  readonly at: (moment: EpochMs, then: () => void) => void;
  readonly fate: (launch: Launch) => Fate;
  /** A definite refusal, like RunTask's `failures[]`; null: accepted. */
  readonly refusal: (launch: Launch) => string | null;
  /** The installation's operator has to fix this first: ECS refuses the call before it checks its token; omitted: nothing. */
  readonly mistake?: (template: LaunchTemplate | null, launch: Launch | null) => string | null;
  /** Where tasks are placed now; omitted: always in one place. */
  readonly placement?: () => string;
  /** A token is used for another request; ECS answers with the task that it knows. */
  readonly conflict?: (launch: Launch) => void;
  /** A definition is registered under this name. */
  readonly registered?: (taskDefinition: string, definition: TaskDefinition) => void;
  /** What ECS shows of an ended task that is not STOPPED yet; omitted: all of its end. */
  readonly deprovisioning?: (ended: TaskView) => Pick<TaskView, 'stage' | 'ending' | 'times'>;
  /** The task has changed, as an ECS event reports it; `status`: of its last two changes, where the first of them is shown. */
  readonly emit: (view: TaskView, status: 'DEPROVISIONING' | 'STOPPED' | undefined) => void;
  /** A refused launch starts anyway; omitted: none does. */
  readonly startsThoughRefused?: (launch: Launch) => boolean;
  /** How long DescribeTasks and ListTasks do not know a new task; omitted: they know it at once. */
  readonly hiddenMs?: (launch: Launch) => number;
  /** How long a task takes to stop, given its script. */
  readonly stopTakesMs?: (stopMs: number) => number;
  /** A quirk has occurred. */
  readonly quirk?: (quirk: EcsQuirk, task: TaskView) => void;
};

type Task = {
  view: TaskView;
  readonly family: string;
  readonly stopMs: number;
  readonly deprovisionMs: number;
  stopping: boolean;
  ended: boolean;
  /** STOPPED. */
  stoppedAt: EpochMs | null;
  readonly shownAt: EpochMs;
};

/** ECS remembers a stopped task for an hour, and a token for the task's life and an hour (aws.md 1.2, 1.7). */
const MEMORY_MS = 60 * 60_000;
const PAGE = 100;
const FAMILIES_PER_PAGE = 40;

/** A family's newest revision. */
type Registration = { readonly revision: number; readonly at: EpochMs; readonly isActive: boolean };

/** ECS's rules without ECS: tokens, repeated refusals, slow starts and stops, forgotten tasks. */
export function createMemoryTasks(options: MemoryTasksOptions): Tasks & {
  /** Every task ever started, by ARN. */
  readonly all: ReadonlyMap<TaskArn, Readonly<Task>>;
} {
  const { now, at, fate, refusal, emit, quirk = () => undefined } = options;
  const { mistake = () => null, placement = () => '', conflict = () => undefined } = options;
  const { registered = () => undefined, deprovisioning = (ended: TaskView) => ended } = options;
  const { startsThoughRefused = () => false, hiddenMs = () => 0, stopTakesMs = (ms: number) => ms } = options;
  const all = new Map<TaskArn, Task>();
  const tokens = new Map<
    string,
    ({ readonly kind: 'launched' } & LaunchedTask) | { readonly kind: 'refused'; readonly reason: string }
  >();
  const requests = new Map<string, string>();
  const definitions = new Map<string, Registration>();
  const isRegistered = ({ taskDefinition }: LaunchTemplate): boolean => {
    const newest = definitions.get(familyOf({ taskDefinition }));
    return newest === undefined || (newest.isActive && taskDefinition.endsWith(`:${newest.revision}`));
  };
  const isOld = (newest: Registration, before: EpochMs): boolean => newest.isActive && newest.at < before;
  let numbers = 0;

  const change = (task: Task, update: Partial<TaskView>, status?: 'DEPROVISIONING' | 'STOPPED'): void => {
    task.view = { ...task.view, ...update, version: task.view.version + 1 };
    emit(task.view, status);
  };
  const end = (task: Task, ending: Ending): void => {
    if (task.ended) return;
    task.ended = true;
    const ended: TaskView = { ...task.view, stage: 'stopped', ending, times: { ...task.view.times, stoppedAt: now() } };
    const stop = (): void => {
      task.stoppedAt = now();
      change(task, { stage: 'stopped', ending, times: ended.times }, 'STOPPED');
    };
    if (task.deprovisionMs === 0) return stop();
    const { stage, ending: seen, times } = deprovisioning(ended);
    change(task, { stage, ending: seen, times }, 'DEPROVISIONING');
    at(plusMs(now(), task.deprovisionMs), stop);
  };
  const isKnown = ({ stoppedAt }: Task): boolean => stoppedAt === null || now() < plusMs(stoppedAt, MEMORY_MS);
  const isShown = (task: Task): boolean => {
    const known = isKnown(task);
    if (!known) quirk('forgotten by ECS', task.view);
    else if (now() < task.shownAt) quirk('hidden at first', task.view);
    return known && now() >= task.shownAt;
  };

  /** RUNNING, with STOPPED desired: the program was signaled to stop, and may still exit by itself. */
  const notice = (task: Task): void => {
    if (task.view.stage !== 'running') return;
    task.stopping = true;
    change(task, { stage: 'stopping' });
    quirk('spot notice', task.view);
  };

  const start = (launch: Launch): TaskArn => {
    const arn = asTaskArn(
      `arn:aws:ecs:us-east-1:000000000000:task/muster/${(++numbers).toString(16).padStart(32, '0')}`,
    );
    const privateIp = addressOf(numbers);
    const times: AttemptTimes = { createdAt: now(), startedAt: null, stoppedAt: null };
    const view: TaskView = {
      arn,
      job: launch.job.uid,
      id: launch.id,
      version: 1,
      stage: 'starting',
      ending: null,
      times,
      privateIp: null,
    };
    const { startMs, runMs, stopMs, ending, noticeMs = 0, deprovisionMs = 0 } = fate(launch);
    const [family, shownAt] = [familyOf(launch.template), plusMs(now(), hiddenMs(launch))];
    const open = { stopping: false, ended: false, stoppedAt: null };
    const task: Task = { view, family, stopMs, deprovisionMs, shownAt, ...open };
    all.set(arn, task);
    at(plusMs(now(), startMs), () => {
      if (task.view.stage !== 'starting' || task.stopping) return;
      if (ending.cause === 'StartFailed' || ending.cause === 'Unplaced') return end(task, ending);
      change(task, { stage: 'running', privateIp, times: { ...times, startedAt: now() } });
      if (!Number.isFinite(runMs)) return;
      if (noticeMs > 0) at(plusMs(now(), runMs - Math.min(runMs, noticeMs)), () => notice(task));
      at(plusMs(now(), runMs), () => end(task, ending));
    });
    return arn;
  };

  const register = (family: string, revision: number): Registration => {
    const registration = { revision, at: now(), isActive: true };
    definitions.set(family, registration);
    return registration;
  };

  return {
    all,
    prepare: async (definition) => {
      const reason = mistake(null, null);
      if (reason !== null) return { kind: 'refused', reason, misconfigured: true };
      const containers = definition.containers.map(({ name }) => name);
      const newest = definitions.get(definition.family) ?? { revision: 0, at: now(), isActive: false };
      const { revision } = newest.isActive ? newest : register(definition.family, newest.revision + 1);
      const template = { taskDefinition: `${definition.family}:${revision}`, containers, placement: placement() };
      registered(template.taskDefinition, definition);
      return { kind: 'ready', template };
    },
    run: async (launch) => {
      const { index, attempt, nonce } = launch.id;
      const token = `${launch.job.uid}/${index}/${attempt}/${nonce}`;
      const wrong = mistake(launch.template, launch);
      if (wrong !== null) return { kind: 'refused', reason: wrong, misconfigured: true };
      if (!isRegistered(launch.template))
        return { kind: 'refused', reason: 'TaskDefinition is inactive', misconfigured: true, deregistered: true };
      const before = tokens.get(token);
      const task = before?.kind === 'launched' ? all.get(before.taskArn) : undefined;
      if (before !== undefined && requests.get(token) !== JSON.stringify(launch)) conflict(launch);
      if (before?.kind === 'refused' || (before !== undefined && task !== undefined && isKnown(task))) return before;
      const reason = refusal(launch);
      if (reason !== null && startsThoughRefused(launch)) start(launch);
      const answer =
        reason === null
          ? ({ kind: 'launched', taskArn: start(launch), createdAt: now() } as const)
          : ({ kind: 'refused', reason } as const);
      tokens.set(token, answer);
      requests.set(token, JSON.stringify(launch));
      return answer;
    },
    stop: async (taskArn, reason) => {
      const task = all.get(taskArn);
      if (task === undefined || task.stopping || task.ended) return { kind: 'asked' };
      task.stopping = true;
      change(task, { stage: 'stopping' });
      const said = { stopCode: 'UserInitiated', stoppedReason: reason, exitCode: 143, container: 'main' };
      at(plusMs(now(), stopTakesMs(task.stopMs)), () =>
        end(task, endingOf({ ...said, containerReason: null, started: true })),
      );
      return { kind: 'asked' };
    },
    describe: async (taskArns) => {
      const known = taskArns.map((arn) => all.get(arn)).filter((task) => task !== undefined && isShown(task));
      const tasks = known.flatMap((task) => (task === undefined ? [] : [task.view]));
      const seen = new Set(tasks.map(({ arn }) => arn));
      return { kind: 'described', tasks, missing: taskArns.filter((arn) => !seen.has(arn)) };
    },
    listLive: async ({ job, after }) =>
      pageOf(all, after, (task) => isLive(task.view) && (job === null || task.view.job === job) && isShown(task)),
    listStopped: async ({ family, after }) =>
      pageOf(all, after, (task) => task.family === family && !isLive(task.view) && isKnown(task) && isShown(task)),
    listOldFamilies: async ({ prefix, before, after }) => {
      const old = [...definitions].filter(([family, newest]) => family.startsWith(prefix) && isOld(newest, before));
      const left = old
        .map(([family]) => family)
        .sort()
        .filter((family) => after === null || family > after);
      const families = left.slice(0, FAMILIES_PER_PAGE);
      return { kind: 'listed', families, next: left.length > families.length ? (families.at(-1) ?? null) : null };
    },
    deregister: async ({ family, before }) => {
      const newest = definitions.get(family);
      const isUsed = [...all.values()].some((task) => task.family === family && isLive(task.view) && isShown(task));
      if (newest === undefined || !isOld(newest, before) || isUsed) return { kind: 'kept' };
      definitions.set(family, { ...newest, isActive: false });
      return { kind: 'deregistered' };
    },
  };
}

function pageOf(all: ReadonlyMap<TaskArn, Task>, after: string | null, isListed: (task: Task) => boolean) {
  const listed = [...all.values()].filter(isListed).map(({ view }) => view.arn);
  const left = listed.filter((arn) => after === null || arn > after);
  const taskArns = left.slice(0, PAGE);
  return { kind: 'listed', taskArns, next: left.length > PAGE ? (taskArns.at(-1) ?? null) : null } as const;
}

const isLive = ({ stage }: TaskView): boolean => stage === 'starting' || stage === 'running';

/** A separate address for each of 16 million tasks. */
const addressOf = (nth: number): string => `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`;
