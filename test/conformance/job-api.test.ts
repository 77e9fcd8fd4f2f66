import { afterAll, beforeAll, describe, test } from 'vitest';
import * as z from 'zod';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../e2e/kube-calls.ts';
import { type JobDocument, MERGE, STRATEGIC, aNamespace, isComplete } from './a-namespace.ts';
import { PROGRAMS, aJob } from './programs.ts';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

/** The condition of one type, with its times. */
const ofType = ({ status }: JobDocument, type: string): unknown =>
  z
    .array(z.looseObject({ type: z.string() }))
    .parse(status['conditions'])
    .find((condition) => condition.type === type);

describe.concurrent('the API of Jobs', { timeout: TEST_MS }, () => {
  test('a Job whose Pods run lets others write a condition of theirs into its status', async ({ expect }) => {
    const ns = await aNamespace(local.runtime.url, 'status');
    const { metadata } = await ns.create(aJob({ name: 'noted', script: PROGRAMS.neverEnd }));
    await ns.untilPods('noted', (pods) => pods.filter(({ status }) => status.phase === 'Running').length === 2);

    const first = { type: 'CustomConditionType', status: 'True', lastTransitionTime: '2026-11-22T10:00:00Z' };
    const patch = { metadata: { annotations: { patchedstatus: 'true' } }, status: { conditions: [first] } };
    const patched = await ns.patch('noted', MERGE, patch, '/status');
    expect(ofType(patched, first.type)).toMatchObject(first);
    expect(patched.metadata.annotations).toMatchObject({ patchedstatus: 'true' });

    const second = { ...first, lastTransitionTime: '2026-11-22T10:01:00Z' };
    const conditions = [second];
    const updated = await ns.update('noted', (job) => ({ ...job, status: { ...job.status, conditions } }), '/status');
    expect(ofType(updated, first.type)).toMatchObject(second);

    expect((await ns.job('noted', '/status')).metadata.uid).toBe(metadata.uid);
  });

  test('a Job is created, patched, updated, listed, watched and deleted as one of a collection', async ({ expect }) => {
    const ns = await aNamespace(local.runtime.url, 'lifecycle');
    const selector = 'labelSelector=e2e-job-label%3Dlife';
    const list = () => ns.list(`/apis/batch/v1/jobs?${selector}`);
    const from = (version: string) => ns.watch(`${ns.jobsPath}?watch=1&${selector}&resourceVersion=${version}`);
    const before = await list();

    const labels = { 'e2e-job-label': 'life' };
    const created = await ns.create(aJob({ name: 'life', script: PROGRAMS.succeed, spec: { suspend: true }, labels }));
    const patched = await ns.patch('life', STRATEGIC, { metadata: { labels: { life: 'patched' } } });
    expect(patched.metadata.labels).toMatchObject({ life: 'patched' });
    expect(Number(patched.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
    const changes = await from(before.metadata.resourceVersion);
    await changes.until(({ type, object }) => type !== 'DELETED' && object.metadata.labels['life'] === 'patched');

    const updated = await ns.update('life', (job) => ({
      ...job,
      metadata: { ...job.metadata, annotations: { ...job.metadata.annotations, updated: 'true' } },
      spec: { ...job.spec, suspend: false },
    }));
    expect(updated.metadata.annotations).toMatchObject({ updated: 'true' });
    await changes.until(({ type, object }) => type !== 'DELETED' && object.metadata.annotations['updated'] === 'true');
    await changes.stop();

    expect((await list()).items.map(({ metadata }) => metadata.name)).toEqual(['life']);
    await ns.until('life', isComplete('CompletionsReached', 4));
    const end = await from(updated.metadata.resourceVersion);
    await ns.ask('DELETE', `${ns.jobsPath}?${selector}`, { propagationPolicy: 'Background' });
    await end.until(({ type, object }) => type === 'DELETED' && object.metadata.labels['e2e-job-label'] === 'life');
    await end.stop();
    expect((await list()).items).toEqual([]);
  });

  test('the status of a Job that another controller manages stays empty', async ({ expect }) => {
    const ns = await aNamespace(local.runtime.url, 'managed');
    const managedBy = 'example.com/custom-job-controller';
    await ns.create(aJob({ name: 'theirs', script: PROGRAMS.succeed, spec: { managedBy } }));
    // By the time that a Job of ours is complete, this one would have been looked at.
    await ns.create(aJob({ name: 'ours', script: PROGRAMS.succeed }));
    await ns.until('ours', isComplete('CompletionsReached', 4));
    expect((await ns.job('theirs')).status).toEqual({});
    expect(await ns.pods('theirs')).toEqual([]);
  });
});
