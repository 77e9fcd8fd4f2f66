import * as z from 'zod';
import type { ContainerEnd } from '../ecs/task-life.ts';
import { type Engine, EngineError } from './engine.ts';

/** What an engine says of one container (Docker Engine API, ContainerInspect). */
const ContainerSchema = z.looseObject({
  Id: z.string(),
  State: z.looseObject({
    Status: z.enum(['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead']),
    ExitCode: z.int(),
    OOMKilled: z.boolean().optional(),
    StartedAt: z.string(),
    FinishedAt: z.string(),
  }),
  Config: z.looseObject({ StopSignal: z.string().nullish() }).optional(),
});

export type EngineContainer = {
  readonly id: string;
  readonly state: 'created' | 'running' | 'ended';
  /** milliseconds since 1970; 0: never */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
  /** asks it to end; the image may choose another */
  readonly stopSignal: string;
};

function parseContainer(json: unknown): EngineContainer {
  const { Id, State, Config } = ContainerSchema.parse(json);
  const { Status, ExitCode, OOMKilled = false, StartedAt, FinishedAt } = State;
  return {
    id: Id,
    state: STATES[Status],
    startedAtMs: timeOf(StartedAt),
    endedAtMs: timeOf(FinishedAt),
    exitCode: ExitCode,
    isOutOfMemory: OOMKilled,
    stopSignal: Config?.StopSignal ?? 'SIGTERM',
  };
}

/** Returns null if there is no such container. Throws {@link EngineError}. */
export async function inspectContainer(engine: Engine, name: string): Promise<EngineContainer | null> {
  try {
    return parseContainer(await engine.ask({ method: 'GET', path: `/containers/${name}/json` }));
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return null;
    throw error;
  }
}

const STATES = {
  created: 'created',
  running: 'running',
  paused: 'running',
  restarting: 'running',
  removing: 'ended',
  exited: 'ended',
  dead: 'ended',
} as const;

/** The engine writes year 1 for never. */
const timeOf = (text: string): number => Math.max(0, Date.parse(text) || 0);

/** The words of Fargate (Amazon ECS stopped tasks error messages). */
const OUT_OF_MEMORY = 'OutOfMemoryError: Container killed due to memory usage';

/**
 * How a container ended, which is not the program's doing if somebody else stopped it: the engine, when it was restarted, or a
 * person. What it ended with says nothing then, not even a 0. Pure.
 *
 * @param container as the engine has it; null: it is gone
 * @param by who stopped it; null: we did, or nobody that is known of
 */
export function endOf(
  name: string,
  container: EngineContainer | null,
  by: 'somebody' | 'engine' | null,
  nowMs: number,
): ContainerEnd {
  const { endedAtMs = 0, exitCode = 0, isOutOfMemory = false } = container ?? {};
  const atMs = endedAtMs === 0 ? nowMs : Math.min(endedAtMs, nowMs);
  if (by === 'engine')
    return { kind: 'lost', reason: `the container engine ended, and container ${name} with it`, atMs };
  if (container === null)
    return { kind: 'lost', reason: `container ${name} was removed from the container engine`, atMs };
  if (by === 'somebody') return { kind: 'lost', reason: `container ${name} was stopped in the container engine`, atMs };
  return { kind: 'exited', exitCode, atMs, ...(isOutOfMemory ? { reason: OUT_OF_MEMORY } : {}) };
}
