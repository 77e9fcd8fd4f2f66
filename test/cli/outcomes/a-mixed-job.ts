import { plusMs } from '../../../shared/domain/base/time.ts';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import { START, manifest } from '../../kube/a-world.ts';
import { type AServer, type ServerWish, aServer } from '../a-server.ts';

export const exited = (exitCode: number): Ending => ({
  cause: exitCode === 0 ? 'Completed' : 'Error',
  exitCode,
  container: 'main',
  reason: '',
});

/** Starts an attempt, and ends it; `as` is what becomes of the index. */
export async function attempt(
  { world }: AServer,
  index: number,
  number: number,
  ending: Ending | null,
  as: 'succeeded' | 'failed' | 'failedForGood' | 'open' = 'open',
): Promise<void> {
  await world.commit('sums', [{ op: 'claim', index, attempt: number }], { startTime: START });
  await world.launch('sums', [{ index, attempt: number }]);
  await world.commit('sums', [{ op: 'running', index, attempt: number }]);
  if (ending === null) return;
  const judged = as === 'failedForGood' ? ({ as } as const) : {};
  await world.record('sums', index, number, ending, { why: { kind: 'exited', exitCode: ending.exitCode }, ...judged });
  if (as !== 'open') await world.commit('sums', [end(index, number, as)]);
}

const end = (index: number, number: number, as: 'succeeded' | 'failed' | 'failedForGood') =>
  as === 'failed'
    ? ({ op: 'failed', index, attempt: number, notBefore: plusMs(START, 60_000) } as const)
    : ({ op: as, index, attempt: number } as const);

/**
 * Index 0 failed and then succeeded; 1 failed twice, the second time for good; 2 failed and runs again; 3 has not been started;
 * 4 succeeded.
 */
export async function aMixedServer(
  wish: ServerWish = {},
  spec: object = {},
  metadata: object = {},
  template: object | null = null,
): Promise<AServer> {
  const server = await aServer(wish);
  const { world } = server;
  const job = manifest(
    'sums',
    { completions: 5, parallelism: 5, backoffLimitPerIndex: 1, ...spec },
    { metadata: { name: 'sums', ...metadata } },
  );
  server.file('job.json', template === null ? job : { ...job, spec: { ...job.spec, template } });
  const { code, err } = await server.run('run -f job.json');
  if (code !== 0) throw new Error(err);
  await attempt(server, 0, 1, exited(1), 'failed');
  await attempt(server, 0, 2, exited(0), 'succeeded');
  await attempt(server, 1, 1, exited(137), 'failed');
  await attempt(server, 1, 2, exited(2), 'failedForGood');
  await attempt(server, 2, 1, exited(3), 'failed');
  await attempt(server, 2, 2, null);
  await attempt(server, 4, 1, exited(0), 'succeeded');
  for (const [index, number] of [
    [0, 1],
    [0, 2],
    [1, 1],
    [1, 2],
    [2, 1],
    [4, 1],
  ] as const)
    world.print(index, number, 'main', `begin ${index}/${number}`, `end of ${index}/${number} after ${index}.5 s`);
  return server;
}
