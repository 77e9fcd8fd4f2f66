import { expect, test } from 'vitest';
import { manifest } from '../../kube/a-world.ts';
import { aServer } from '../a-server.ts';

const container = (name: string) => ({ name, image: 'busybox', command: ['true'] });

/** Of a Job whose init container `prepare` has failed with 7; `gone`: nothing lists its Pod. */
async function failed(gone: boolean) {
  const server = await aServer();
  const { run, world, file } = server;
  const spec = { restartPolicy: 'Never', initContainers: [container('prepare')], containers: [container('main')] };
  const job = manifest('prepared', { backoffLimitPerIndex: 0 });
  file('job.json', { ...job, spec: { ...job.spec, template: { spec } } });
  await run('run -f job.json');
  const ending = { cause: 'Error', exitCode: 7, container: 'prepare', reason: '' } as const;
  await world.record('prepared', 0, 1, ending, {
    as: 'failedForGood',
    why: { kind: 'exited', exitCode: 7 },
    ...(gone ? { gone } : {}),
  });
  await world.commit('prepared', [
    { op: 'claim', index: 0 },
    { op: 'failedForGood', index: 0, ...(gone ? { gone: true } : {}) },
  ]);
  world.print(0, 1, 'prepare', 'reading', 'no input');
  return server;
}

test('an init container that failed is what its Pod shows', async () => {
  const { run } = await failed(false);
  expect((await run('get pods prepared -o wide')).out).toMatch(/ Init:Error +7 /);
  expect((await run('failures prepared')).out).toMatch(/exit code 7[^]*no input/);
});

test.each([false, true])('its log is the log of what failed; the Pod is gone: %s', async (gone) => {
  const { run } = await failed(gone);
  expect(await run('logs prepared --failed')).toEqual({ code: 0, out: '[0] reading\n[0] no input\n', err: '' });
  expect(await run('logs prepared --failed --tail 1')).toMatchObject({ out: '[0] no input\n' });
  if (gone) return;
  expect(await run('logs prepared')).toMatchObject({
    code: 1,
    err: expect.stringContaining('init container prepare failed: exit code 7') as string,
  });
});
