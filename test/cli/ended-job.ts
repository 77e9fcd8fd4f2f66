import type { EpochMs } from '../../shared/domain/base/time.ts';
import type { Verdict } from '../../shared/domain/scoreboard/status.ts';
import { manifest } from '../kube/a-world.ts';
import type { AServer } from './a-server.ts';

export const DAY_MS = 86_400_000;

const COMPLETE: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: 'done', decidedBy: null };
const FAILED: Verdict = { kind: 'failed', reason: 'DeadlineExceeded', message: 'too late', decidedBy: null };

/** Ends a Job that is there. */
export async function endJob(world: AServer['world'], name: string, at: EpochMs, failed = false): Promise<void> {
  const phase = { kind: 'finished', verdict: failed ? FAILED : COMPLETE, since: at, at } as const;
  await world.commit(name, [], { phase, alarms: [] });
}

/** Creates a Job that ended at `at`. */
export async function endedJob(
  { world, ...server }: AServer,
  name: string,
  at: EpochMs,
  { failed = false, metadata = {} }: { readonly failed?: boolean; readonly metadata?: object } = {},
): Promise<void> {
  server.file('ended.json', { ...manifest(name), metadata: { name, ...metadata } });
  const { code, err } = await server.run('run -f ended.json');
  if (code !== 0) throw new Error(err);
  await endJob(world, name, at, failed);
}
