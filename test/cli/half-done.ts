import { START, type World, manifest } from '../kube/a-world.ts';
import { type AServer, aServer } from './a-server.ts';

/** Index 0 has succeeded, 1 runs at its second attempt, 2 and 3 wait. */
async function halfDone(world: World): Promise<void> {
  await world.commit(
    'sums',
    [
      { op: 'claim', index: 0 },
      { op: 'claim', index: 1 },
    ],
    { startTime: START },
  );
  await world.launch('sums', [
    { index: 0, attempt: 1 },
    { index: 1, attempt: 1 },
  ]);
  await world.commit('sums', [
    { op: 'running', index: 0 },
    { op: 'running', index: 1 },
  ]);
  await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.record('sums', 1, 1, { cause: 'Error', exitCode: 3, container: 'main', reason: '' });
  await world.commit(
    'sums',
    [
      { op: 'succeeded', index: 0 },
      { op: 'failed', index: 1, notBefore: null },
    ],
    { failed: 1 },
  );
  await world.commit('sums', [{ op: 'claim', index: 1, attempt: 2 }]);
  await world.launch('sums', [{ index: 1, attempt: 2 }]);
  await world.commit('sums', [{ op: 'running', index: 1, attempt: 2 }]);
}

/** A server with such a Job. */
export async function aHalfDoneServer(): Promise<AServer> {
  const server = await aServer();
  server.file('job.json', manifest('sums'));
  await server.run('run -f job.json');
  await halfDone(server.world);
  return server;
}
