import { addressAt } from './addresses.ts';
import { environmentOf, type ContainerRun, type Driver, type Reports } from './driver.ts';
import { isEssential } from '../definition.ts';
import { seeded } from '../seeded.ts';
import type { Timers } from '../timers.ts';
import type { StopCause } from '../task-record.ts';

/** A duration: a number of milliseconds, or uniform between two. */
export type Span = number | readonly [number, number];

/** How simulated tasks behave. The seed determines chances and durations, task by task, in start order. */
export type Script = {
  readonly seed?: number;
  /** from RunTask's answer to the container's start; 0 by default */
  readonly startDelayMs?: Span;
  /** 0 by default */
  readonly runMs?: Span;
  /** share of containers that end with `failExitCode` (1 unless given) */
  readonly fail?: number;
  readonly failExitCode?: number;
  /** share of tasks on FARGATE_SPOT that are interrupted half-way */
  readonly spot?: number;
  /** Decides for single containers; the rest of the script decides what it omits. */
  readonly decide?: (container: SimulatedContainer) => SimulatedTask | undefined;
};

/** The input of a script. */
export type SimulatedContainer = {
  readonly taskId: string;
  readonly container: string;
  readonly group: string;
  readonly startedBy: string | null;
  /** definition and override together */
  readonly env: ReadonlyMap<string, string>;
  /** JOB_COMPLETION_INDEX; null without it */
  readonly index: number | null;
};

export type SimulatedTask = {
  readonly startDelayMs?: number;
  /** Infinity: runs until it is stopped */
  readonly runMs?: number;
  readonly exitCode?: number;
  /** it cannot start, for this reason */
  readonly unstartable?: string;
  /** it ignores SIGTERM */
  readonly ignoresTerm?: boolean;
  /** after half of `runMs` the whole task is stopped for this cause */
  readonly interrupt?: Omit<StopCause, 'atMs'>;
};

type Running = { readonly outcome: SimulatedTask; started: boolean; callOff: () => void };

/** Containers that only take time: no processes, no disk, no logs. Each has at most one alarm. */
export function simulatedDriver(script: Script, timers: Timers, reports: Reports): Driver {
  const random = seeded(script.seed ?? 1);
  const running = new Map<string, Running>();
  let addressesGiven = 0;
  const span = (of: Span | undefined): number =>
    typeof of === 'object' ? of[0] + random() * (of[1] - of[0]) : (of ?? 0);

  const decide = ({ task, container }: ContainerRun): SimulatedTask => {
    const env = environmentOf(container, task.overrides);
    const index = env.get('JOB_COMPLETION_INDEX');
    const chosen = script.decide?.({
      taskId: task.id,
      container: container.name,
      group: task.group,
      startedBy: task.startedBy,
      env,
      index: index === undefined ? null : Number(index),
    });
    const spot = task.capacityProvider === 'FARGATE_SPOT' && random() < (script.spot ?? 0);
    return {
      startDelayMs: span(script.startDelayMs),
      // containers that others depend on have no simulated work
      runMs: isEssential(container) ? span(script.runMs) : 0,
      exitCode: isEssential(container) && random() < (script.fail ?? 0) ? (script.failExitCode ?? 1) : 0,
      ...(spot ? { interrupt: SPOT_INTERRUPTION } : {}),
      ...chosen,
    };
  };

  const end = (run: ContainerRun, exitCode: number): void => {
    const key = keyOf(run);
    running.get(key)?.callOff();
    if (running.delete(key))
      reports.ended(run.task.id, run.container.name, { kind: 'exited', exitCode, atMs: timers.now() });
  };

  const work = (run: ContainerRun, state: Running): void => {
    const { unstartable, runMs = 0, exitCode = 0, interrupt } = state.outcome;
    const { task, container } = run;
    if (unstartable !== undefined) {
      running.delete(keyOf(run));
      reports.ended(task.id, container.name, { kind: 'unstartable', reason: unstartable, atMs: timers.now() });
      return;
    }
    state.started = true;
    if (interrupt !== undefined) state.callOff = timers.after(runMs / 2, () => reports.interrupted(task.id, interrupt));
    else if (runMs !== Infinity) state.callOff = timers.after(runMs, () => end(run, exitCode));
    else state.callOff = () => undefined;
    reports.started(task.id, container.name, timers.now());
  };

  return {
    open: async () => Promise.resolve(),
    settle: () => undefined,
    over: () => undefined,
    refusal: () => null,
    setupProblem: () => null,
    privateIp: () => addressAt(10, addressesGiven++),
    start(run) {
      const outcome = decide(run);
      const state: Running = { outcome, started: false, callOff: () => undefined };
      running.set(keyOf(run), state);
      state.callOff = timers.after(outcome.startDelayMs ?? 0, () => work(run, state));
    },
    signal(run, signal) {
      const state = running.get(keyOf(run));
      if (state === undefined || (signal === 'SIGTERM' && state.started && state.outcome.ignoresTerm === true)) return;
      state.callOff();
      const { task, container } = run;
      const unstarted = { kind: 'unstartable', reason: 'stopped before it was started', atMs: timers.now() } as const;
      state.callOff = timers.after(0, () => {
        if (state.started) end(run, signal === 'SIGTERM' ? 143 : 137);
        else if (running.delete(keyOf(run))) reports.ended(task.id, container.name, unstarted);
      });
    },
    inspect: () => ({ kind: 'absent' }),
    forget: () => undefined,
    async close() {
      for (const state of running.values()) state.callOff();
      running.clear();
      return Promise.resolve();
    },
  };
}

/** ECS's own words (developer guide, "Amazon ECS stopped tasks error messages"). */
const SPOT_INTERRUPTION = { code: 'SpotInterruption', reason: 'Your Spot Task was interrupted.' } as const;

const keyOf = ({ task, container }: ContainerRun): string => `${task.id}/${container.name}`;
