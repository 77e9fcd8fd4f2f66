import type { Engine } from './engine.ts';
import { inspectContainer } from './found-container.ts';
import { IDLE_IMAGE } from './idle-image.ts';
import { LABELS, keeperName } from './names.ts';

/** Which life of the engine it is, and when the one before was over. */
export type EngineLife = {
  /** differs after a restart that ended containers */
  readonly id: string;
  /** When it was seen first. */
  readonly sinceMs: number;
  /** When the life before it was over; null: nothing is known of one, or it goes on (an engine with live-restore ends nothing). */
  readonly endedMs: number | null;
};

/**
 * An engine that is restarted stops its containers, with an exit code like any other, and says nowhere that it did. So an
 * installation keeps one that only waits: if it has ended, the engine ended it, and what ended about that time ended with it.
 *
 * @param labels more of its labels, if it is made
 *
 * Throws {@link EngineError}.
 */
export async function lookAtKeeper(
  engine: Engine,
  installation: string,
  labels: Readonly<Record<string, string>>,
): Promise<EngineLife> {
  const name = keeperName(installation);
  const before = await inspectContainer(engine, name);
  if (before?.state === 'running') return { id: lifeId(before), sinceMs: before.startedAtMs, endedMs: null };
  if (before !== null) await engine.ask({ method: 'DELETE', path: `/containers/${name}`, query: { force: true } });
  await engine.ask({
    method: 'POST',
    path: '/containers/create',
    query: { name },
    body: {
      Image: IDLE_IMAGE,
      Labels: { ...labels, [LABELS.installation]: installation },
      StopSignal: 'SIGKILL',
      HostConfig: { NetworkMode: 'none' },
    },
  });
  await engine.ask({ method: 'POST', path: `/containers/${name}/start` });
  const now = await inspectContainer(engine, name);
  const endedMs = before === null || before.endedAtMs === 0 ? null : before.endedAtMs;
  return { id: now === null ? '' : lifeId(now), sinceMs: now?.startedAtMs ?? 0, endedMs };
}

const lifeId = ({ id, startedAtMs }: { readonly id: string; readonly startedAtMs: number }): string =>
  `${id}/${startedAtMs}`;
