import { describe, expect, test } from 'vitest';
import { limitRangeDocument, quotaDocument } from '../../shared/capabilities/quotas/test/limit-documents.ts';
import { START, aManifest, eventsOf, indexed } from '../../shared/capabilities/simulate/test/a-simulation.ts';
import { simulate } from '../../shared/capabilities/simulate/test/run-simulate.ts';
import { NO_SCRIPT, parseScript } from '../../shared/capabilities/simulate/world/script.ts';
import { simulateJob } from '../../shared/capabilities/simulate/world/simulate-job.ts';

const simulated = async (document: object, limits: readonly object[], script: object = {}) => {
  const parsed = parseScript(script);
  return simulateJob({
    document,
    limits,
    script: parsed.kind === 'refused' ? NO_SCRIPT : parsed.script,
    seed: 1,
    start: START,
  });
};

describe('a Job beside what limits its namespace', () => {
  test.each<[string, object, readonly object[], string]>([
    [
      'is refused if it is too wide',
      indexed(5),
      [quotaDocument({ pods: '4' })],
      'jobs.batch "work" is forbidden: exceeded quota: team, requested: pods=5, used: pods=0, limited: pods=4',
    ],
    [
      'is refused if its containers are too large',
      aManifest({}, { containers: [{ name: 'main', image: 'busybox', resources: { limits: { cpu: '4' } } }] }),
      [limitRangeDocument({ type: 'Container', max: { cpu: '2' } })],
      'jobs.batch "work" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
    ],
    [
      'is refused if it does not say what is counted',
      indexed(1),
      [quotaDocument({ 'requests.cpu': '4' })],
      'jobs.batch "work" is forbidden: failed quota: team: must specify requests.cpu for: main',
    ],
  ])('%s', async (_, document, limits, message) => {
    expect(await simulated(document, limits)).toEqual({
      kind: 'refused',
      what: 'Job',
      errors: [{ path: '', message }],
    });
  });

  test('runs if it fits, with the defaults that a quota counts', async () => {
    const limits = [
      quotaDocument({ 'requests.cpu': '4' }),
      limitRangeDocument({ type: 'Container', defaultRequest: { cpu: '2' } }),
    ];
    expect(await simulated(indexed(2), limits)).toMatchObject({ simulation: { end: { kind: 'complete' } } });
    expect(await simulated(indexed(3), limits)).toMatchObject({ kind: 'refused' });
  });

  test('may not be made larger than there is room for, and what is done makes room', async () => {
    const script = {
      attempts: [{ run: '60s' }],
      user: [
        { at: '10s', patch: { spec: { parallelism: 6, completions: 6 } } },
        { at: '20s', patch: { spec: { parallelism: 3 } } },
      ],
    };
    const outcome = await simulated(indexed(4, { parallelism: 2 }), [quotaDocument({ pods: '3' })], script);
    if (outcome.kind === 'refused') throw new Error(JSON.stringify(outcome.errors));
    const { report, patchRefused } = outcome.simulation;
    expect(patchRefused).toBe(true);
    expect(eventsOf(report)).toContain(
      '10 Forbidden jobs.batch "work" is forbidden: exceeded quota: team, requested: pods=4, used: pods=2, limited: pods=3',
    );
    expect(report.final.succeeded).toBe(4);
    // Three at once from 20 s on: two rounds.
    expect(report.makespanSec).toBe(120);
  });

  test('is not simulated beside what the API would refuse', async () => {
    const refused = await simulated(indexed(1), [
      quotaDocument({ nodes: '1' }),
      limitRangeDocument({ type: 'PersistentVolumeClaim' }),
    ]);
    expect(refused.kind === 'refused' && refused.errors.map(({ path }) => path)).toEqual([
      'ResourceQuota spec.hard[nodes]',
      'LimitRange spec.limits[0].type',
    ]);
  });
});

const QUOTA = JSON.stringify(quotaDocument({ pods: '2' }));

test.each([
  [
    '-f job.yaml',
    { 'job.yaml': `${QUOTA}\n---\n${JSON.stringify(indexed(3))}` },
    'error: job.yaml is refused: jobs.batch "work" is forbidden: exceeded quota: team, requested: pods=3, used: pods=0, limited: pods=2',
  ],
])('muster simulate %s %j: exit 2', async (line, files, expected) => {
  const { code, out, err } = await simulate(line, files);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(expected);
});
