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

type Answered = { readonly launch: Launch; readonly createdAtMs: number };

/** The answered calls of RunTask, by cluster and token. */
export class ClientTokens {
  readonly #answered = new Map<string, Answered>();

  remember(cluster: string, launch: Launch, createdAtMs: number): void {
    if (launch.token !== null) this.#answered.set(`${cluster}/${launch.token}`, { launch, createdAtMs });
  }

  /** The call that used this token, if the token is still valid; `task` finds a task by id, null if it is not visible. */
  recall(cluster: string, token: string, task: (id: string) => TaskRecord | null, nowMs: number): Launch | null {
    const answered = this.#answered.get(`${cluster}/${token}`);
    if (answered === undefined) return null;
    const tasks = answered.launch.taskIds.map((id) => task(id) ?? { stoppedAtMs: answered.createdAtMs });
    return nowMs < tokenExpiresAtMs(answered.createdAtMs, tasks) ? answered.launch : null;
  }

  /** Removes expired tokens. */
  prune(task: (id: string) => TaskRecord | null, nowMs: number): void {
    for (const [key, { launch, createdAtMs }] of this.#answered) {
      const tasks = launch.taskIds.map((id) => task(id) ?? { stoppedAtMs: createdAtMs });
      if (tokenExpiresAtMs(createdAtMs, tasks) <= nowMs) this.#answered.delete(key);
    }
  }
}
