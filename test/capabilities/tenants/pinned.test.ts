import { expect, test } from 'vitest';
import { ALICE, documentsOf, aTenantWorld } from './two-tenants.ts';

/** A pin to items that somebody else has. */
const PIN = JSON.stringify({ content: 'zz', columns: ['FILE'], count: 1, sha256: 'x', widest: 1 });
const annotations = { 'muster.run/pinned-items': PIN };

test('no manifest can pin items: not of a Job, nor of what makes Jobs', async () => {
  const world = await aTenantWorld();
  const [job, cron, run, config] = documentsOf({ ...ALICE, prefix: 'pinned' });
  const send = async (plural: string, document: object) => {
    const path = `/apis/${plural.includes('furiko') ? 'execution.furiko.io/v1alpha1' : 'batch/v1'}/namespaces/team-a/${plural.replace('furiko/', '')}`;
    const answer = await world.send('POST', path, { as: 'alice', body: document });
    return [answer.status, await answer.text()] as const;
  };
  type Meta = { metadata: { name: string } };
  const named = (document: unknown) => ({
    ...(document as object),
    metadata: { ...(document as Meta).metadata, annotations },
  });
  const spec = (cron as { spec: { jobTemplate: object } }).spec;
  const template = { ...spec, jobTemplate: { ...spec.jobTemplate, metadata: { annotations } } };
  const configSpec = (config as { spec: { template: object } }).spec;
  const out = [
    await send('jobs', named(job)),
    await send('cronjobs', { ...cron, spec: template }),
    await send('furiko/jobs', named(run)),
    await send('furiko/jobconfigs', {
      ...config,
      spec: { ...configSpec, template: { ...configSpec.template, metadata: { annotations } } },
    }),
  ];
  for (const [code, text] of out) {
    expect(code, text).toBe(422);
    expect(text).toContain('muster.run/pinned-items');
  }
});
