import { createHash } from 'node:crypto';
import type { Launch, TaskRecord } from './task-record.ts';

const HOUR_MS = 3_600_000;

/** Ended tasks stay visible for at least this long ("at least one hour", ECS API DescribeTasks). */
export const STOPPED_VISIBLE_MS = HOUR_MS;

/**
 * When a client token expires: 24 hours after its call, or one hour after its last task ended, whichever comes first (ECS
 * developer guide, "Ensuring idempotency"). A call that started nothing is remembered for an hour. Pure.
 */
function tokenExpiresAtMs(createdAtMs: number, tasks: readonly Pick<TaskRecord, 'stoppedAtMs'>[]): number {
  const endsMs = tasks.map((task) => task.stoppedAtMs ?? Infinity);
  return Math.min(createdAtMs + 24 * HOUR_MS, Math.max(createdAtMs, ...endsMs) + HOUR_MS);
}

/** Equal for requests with equal parameters, regardless of their order. */
export function fingerprint(request: object): string {
  return createHash('sha256').update(JSON.stringify(request, sortMembers)).digest('base64url');
}

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (names.every((name, n) => n === 0 || (names[n - 1] ?? '') < name)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A call that started nothing keeps its launch here; of any other, this is the first task, whose record has the launch. */
type Answered = string | { readonly launch: Launch; readonly createdAtMs: number };

/** The answered RunTask calls, by cluster and token. */
export class ClientTokens {
  readonly #clusters = new Map<string, Map<string, Answered>>();

  remember(cluster: string, launch: Launch, createdAtMs: number): void {
    if (launch.token === null) return;
    const answered = this.#clusters.get(cluster) ?? new Map<string, Answered>();
    this.#clusters.set(cluster, answered);
    answered.set(launch.token, launch.taskIds[0] ?? { launch, createdAtMs });
  }

  /** The call that used this token, if the token is still valid; `task` finds a task by id, null if it is forgotten. */
  recall(cluster: string, token: string, task: (id: string) => TaskRecord | null, nowMs: number): Launch | null {
    const answered = this.#clusters.get(cluster)?.get(token);
    const call = answered === undefined ? null : callOf(answered, task);
    return call !== null && nowMs < expiresAtMs(call, task) ? call.launch : null;
  }

  /** Removes expired tokens. */
  prune(task: (id: string) => TaskRecord | null, nowMs: number): void {
    for (const answers of this.#clusters.values()) {
      for (const [token, answered] of answers) {
        if (typeof answered === 'string' && isFresh(task(answered), nowMs)) continue;
        const call = callOf(answered, task);
        if (call === null || expiresAtMs(call, task) <= nowMs) answers.delete(token);
      }
    }
  }
}

type Call = Pick<TaskRecord, 'launch' | 'createdAtMs'>;

const callOf = (answered: Answered, task: (id: string) => TaskRecord | null): Call | null =>
  typeof answered === 'string' ? task(answered) : answered;

const expiresAtMs = ({ launch, createdAtMs }: Call, task: (id: string) => TaskRecord | null): number =>
  tokenExpiresAtMs(
    createdAtMs,
    launch.taskIds.map((id) => task(id) ?? { stoppedAtMs: createdAtMs }),
  );

/** So that launches of ended tasks are unpacked only when their tokens may have expired. */
const isFresh = (task: TaskRecord | null, nowMs: number): boolean =>
  task !== null &&
  nowMs < task.createdAtMs + 24 * HOUR_MS &&
  (task.stoppedAtMs === null || nowMs < task.stoppedAtMs + HOUR_MS);
