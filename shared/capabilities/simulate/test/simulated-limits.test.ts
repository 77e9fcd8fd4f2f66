import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import { NO_SCRIPT, parseScript } from '../world/script.ts';
import { simulateJob } from '../world/simulate-job.ts';
import { START, aManifest, eventsOf, indexed } from './a-simulation.ts';

const quota = (hard: object) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'team' },
  spec: { hard },
});
const range = (item: object) => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'usual' },
  spec: { limits: [item] },
});
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
      [quota({ pods: '4' })],
      'jobs.batch "work" is forbidden: exceeded quota: team, requested: pods=5, used: pods=0, limited: pods=4',
    ],
    [
      'is refused if its containers are too large',
      aManifest({}, { containers: [{ name: 'main', image: 'busybox', resources: { limits: { cpu: '4' } } }] }),
      [range({ type: 'Container', max: { cpu: '2' } })],
      'jobs.batch "work" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
    ],
    [
      'is refused if it does not say what is counted',
      indexed(1),
      [quota({ 'requests.cpu': '4' })],
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
    const limits = [quota({ 'requests.cpu': '4' }), range({ type: 'Container', defaultRequest: { cpu: '2' } })];
    expect(await simulated(indexed(2), limits)).toMatchObject({ simulation: { end: { kind: 'complete' } } });
    expect(await simulated(indexed(3), limits)).toMatchObject({ kind: 'refused' });
  });

  test('runs with the items of a WorkList', async () => {
    const document = { ...indexed(2), metadata: { name: 'work', annotations: { [ANNOTATIONS.workList]: 'files' } } };
    const lists = { documents: [], items: { columns: ['F'], rows: [['a'], ['b']] } };
    const wanted = { document, lists, limits: [quota({ pods: '4' })], script: NO_SCRIPT, seed: 1, start: START };
    expect(await simulateJob(wanted)).toMatchObject({ simulation: { end: { kind: 'complete' } } });
  });

  test('may not be made larger than there is room for, and what is done makes room', async () => {
    const script = {
      attempts: [{ run: '60s' }],
      user: [
        { at: '10s', patch: { spec: { parallelism: 6, completions: 6 } } },
        { at: '20s', patch: { spec: { parallelism: 3 } } },
      ],
    };
    const outcome = await simulated(indexed(4, { parallelism: 2 }), [quota({ pods: '3' })], script);
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
    const refused = await simulated(indexed(1), [quota({ secrets: '1' }), range({ type: 'PersistentVolumeClaim' })]);
    expect(refused.kind === 'refused' && refused.errors.map(({ path }) => path)).toEqual([
      'ResourceQuota spec.hard[secrets]',
      'LimitRange spec.limits[0].type',
    ]);
  });
});
