import { describe, expect, test } from 'vitest';
import { asTime, plusMs } from '../../../domain/base/time.ts';
import { JOBS, START, aWorld, manifest } from '../../../../test/kube/a-world.ts';
import { PATHS } from './diagnosis-paths.ts';

async function aJob(embedded = false) {
  const world = await aWorld({ embedded });
  const headers = { 'content-type': 'application/json', host: 'localhost' };
  await world.app.request(JOBS, { method: 'POST', headers, body: JSON.stringify(manifest('sums')) });
  return world;
}

describe('diagnosis', () => {
  test.each(PATHS)('%s is answered, and only to GET', async (path) => {
    const { app } = await aJob();
    const answer = await app.request(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ apiVersion: 'muster.run/v1', kind: 'Diagnosis', healthy: true });
    expect((await app.request(path, { method: 'HEAD' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await app.request(path, { method, body: '{}' })).status, method).toBe(405);
  });

  test.each(PATHS)('%s is kept from pages of other sites', async (path) => {
    const { app } = await aJob(true);
    expect((await app.request(path, { headers: { host: 'localhost' } })).status).toBe(200);
    for (const headers of [{ host: 'evil.example' }, { host: 'localhost', origin: 'https://evil.example' }])
      expect((await app.request(path, { headers })).status).toBe(403);
  });

  test('is healthy unless something is wrong', async () => {
    const world = await aJob();
    await world.commit('sums', [], { alarms: [plusMs(START, -600_000)] });
    const answer = await world.app.request(PATHS[3]!);
    expect(await answer.json()).toMatchObject({
      healthy: false,
      asOf: asTime(START),
      findings: expect.arrayContaining([
        expect.objectContaining({
          kind: 'AlarmOverdue',
          severity: 'error',
          subject: 'job/default/sums',
          since: asTime(plusMs(START, -600_000)),
        }),
      ]) as unknown,
    });
  });

  test('for a Job that does not exist is not found, in the words of Kubernetes', async () => {
    const { app } = await aJob();
    const answer = await app.request('/muster/v1/namespaces/default/jobs/nobody/diagnosis');
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      404,
      'jobs.batch "nobody" not found',
    ]);
    expect((await app.request('/muster/v1/nothing')).status).toBe(404);
  });

  test('a position that no page has returned is answered with an empty page', async () => {
    const { app } = await aJob();
    const answer = await app.request('/muster/v1/jobs/diagnosis?continue=%00%ff');
    expect(answer.status).toBeLessThan(500);
  });

  test('is not in discovery', async () => {
    const { app } = await aJob();
    expect(JSON.stringify(await (await app.request('/apis/muster.run/v1')).json())).not.toContain('diagnosis');
  });
});
