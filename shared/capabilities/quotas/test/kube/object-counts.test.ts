import { describe, expect, test } from 'vitest';
import { isThere } from '../../../../../test/support/kinds-there.ts';
import { sweepQuotas } from '../../control/sweep-quotas.ts';
import { countedFor, isQuotaKey } from '../../domain/quota-keys.ts';
import { ALL_KINDS, JOB_KINDS, STORED } from '../../../../domain/kinds/api-kinds.ts';
import { ofGroup } from '../../../../domain/kinds/api-kind.ts';
import { SERVED } from '../../../../kube/discovery/served-resources.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { type World, send } from '../../../../../test/kube/write/a-client.ts';

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const RBAC = 'rbac.authorization.k8s.io';

/** Each kind of object that counts for itself: what is sent beside its name, and what is there before. */
const KINDS: readonly (readonly [apiVersion: string, kind: string, resource: string, body: object, before: number])[] =
  [
    [
      'batch/v1',
      'CronJob',
      'cronjobs.batch',
      {
        spec: {
          schedule: '0 3 * * *',
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } } },
          },
        },
      },
      0,
    ],
    [
      'execution.furiko.io/v1alpha1',
      'JobConfig',
      'jobconfigs.execution.furiko.io',
      {
        spec: {
          concurrency: { policy: 'Allow' },
          template: {
            spec: { taskTemplate: { pod: { spec: { containers: [{ name: 'main', image: 'busybox' }] } } } },
          },
        },
      },
      0,
    ],
    ['v1', 'ConfigMap', 'configmaps', { data: { a: 'b' } }, 0],
    ['v1', 'Secret', 'secrets', { stringData: { a: 'b' } }, 0],
    ['v1', 'LimitRange', 'limitranges', { spec: { limits: [] } }, 0],
    // The quota itself.
    ['v1', 'ResourceQuota', 'resourcequotas', { spec: { hard: {} } }, 1],
    [`${RBAC}/v1`, 'Role', `roles.${RBAC}`, { rules: [] }, 0],
    [
      `${RBAC}/v1`,
      'RoleBinding',
      `rolebindings.${RBAC}`,
      { subjects: [], roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' } },
      0,
    ],
    ['v1', 'Service', 'services', { spec: { clusterIP: 'None' } }, 0],
    // The account `default`.
    ['v1', 'ServiceAccount', 'serviceaccounts', {}, 1],
    ['muster.run/v1', 'WorkList', 'worklists.muster.run', { spec: { items: [['a'], ['b']] } }, 0],
  ];

const quota = (hard: object, name = 'team') => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard },
});
const usedOf = async (world: World): Promise<unknown> => {
  const { status } = (await send(world, 'GET', `${QUOTAS}/team`)).body;
  return (status as { readonly used: unknown }).used;
};
const swept = async (world: World) => sweepQuotas(world.deps, 10_000);

describe.each(KINDS.filter(([, kind]) => ALL_KINDS.some(({ name }) => name === kind)))(
  'a quota of objects of %s %s',
  (apiVersion, kind, resource, body, before) => {
    const key = `count/${resource}`;
    const plural = resource.split('.')[0] ?? '';
    const path = `${apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`}/namespaces/default/${plural}`;
    const create = async (world: World, name: string, query = '') =>
      send(world, 'POST', `${path}${query}`, { apiVersion, kind, metadata: { name }, ...body });

    test('counts each that is created, and refuses one more in the words of a cluster', async () => {
      const world = await aWorld();
      const hard = { [key]: `${before + 2}` };
      expect((await send(world, 'POST', QUOTAS, quota(hard))).body.status).toEqual({
        hard,
        used: { [key]: `${before}` },
      });
      expect([(await create(world, 'a')).code, (await create(world, 'b')).code]).toEqual([201, 201]);
      expect(await usedOf(world)).toEqual({ [key]: `${before + 2}` });
      const dry = await create(world, 'c', '?dryRun=All');
      const refused = await create(world, 'c');
      expect([refused.code, refused.body.reason, refused.body.message]).toEqual([
        403,
        'Forbidden',
        `${resource} "c" is forbidden: exceeded quota: team, requested: ${key}=1, used: ${key}=${before + 2}, limited: ${key}=${before + 2}`,
      ]);
      expect([dry.code, dry.body.message]).toEqual([403, refused.body.message]);
      expect((await send(world, 'GET', `${path}/c`)).code).toBe(404);
      expect((await create(world, 'a')).code).toBe(409);
      expect((await create(world, 'a', '?dryRun=All')).code).toBe(409);
    });

    test('counts those that were there before it, and gives back what is deleted', async () => {
      const world = await aWorld();
      await create(world, 'a');
      await create(world, 'b');
      const hard = { [key]: `${before + 1}` };
      expect((await send(world, 'POST', QUOTAS, quota(hard))).body.status).toEqual({
        hard,
        used: { [key]: `${before + 2}` },
      });
      expect((await create(world, 'c')).code).toBe(403);
      await send(world, 'DELETE', `${path}/a`);
      await swept(world);
      expect(await usedOf(world)).toEqual({ [key]: `${before + 1}` });
      await send(world, 'DELETE', `${path}/b`);
      // Counted before anybody is refused, if that was not done just now.
      await world.clock.sleep(10_000);
      expect((await create(world, 'c')).code).toBe(201);
      expect(await usedOf(world)).toEqual({ [key]: `${before + 1}` });
    });
  },
);

test.each(STORED.filter(({ isNamespaced }) => isNamespaced).map((row) => [row.name, row] as const))(
  '%s, which is stored in a namespace, is counted under that name only',
  (_, row) => {
    const key = `count/${row.plural}${row.group === '' ? '' : `.${row.group}`}`;
    expect(isQuotaKey(key) ? countedFor(key) : null).toBe(row.counted);
  },
);

test('each kind that a user can create in a namespace can be counted', () => {
  const counted = SERVED.flatMap(({ name, resources }) =>
    resources
      .filter(({ namespaced, verbs }) => namespaced && verbs.includes('create') && verbs.includes('list'))
      .map(({ plural }) => `count/${plural}${name === '' ? '' : `.${name}`}`),
  );
  // Pods count as long as they run, as `pods`. Jobs of another API are Jobs, and count as such.
  const others = JOB_KINDS.filter(({ name }) => name !== 'Job').map((row) => `count/${ofGroup(row.plural, row)}`);
  expect(counted.filter((key) => !isQuotaKey(key))).toEqual(['count/pods', ...others]);
});

test('Services and ResourceQuotas have a short name, too', async () => {
  const world = await aWorld();
  await send(world, 'POST', QUOTAS, quota({ services: '1', 'count/services': '1', resourcequotas: '1' }));
  const service = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { clusterIP: 'None' },
  });
  const services = '/api/v1/namespaces/default/services';
  expect((await send(world, 'POST', services, service('a'))).code).toBe(201);
  expect((await send(world, 'POST', services, service('b'))).body.message).toBe(
    'services "b" is forbidden: exceeded quota: team, requested: count/services=1,services=1, used: count/services=1,services=1, limited: count/services=1,services=1',
  );
  expect((await send(world, 'POST', QUOTAS, quota({}, 'more'))).body.message).toBe(
    'resourcequotas "more" is forbidden: exceeded quota: team, requested: resourcequotas=1, used: resourcequotas=1, limited: resourcequotas=1',
  );
});

test('objects of a namespace without a quota cost one request more', async () => {
  const world = await aWorld();
  const before = { ...world.objects };
  const asked: string[] = [];
  Object.assign(world.objects, {
    list: async (...args: Parameters<typeof before.list>) => {
      asked.push(args[0]);
      return before.list(...args);
    },
  });
  const sent = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { clusterIP: 'None' } };
  await send(world, 'POST', '/api/v1/namespaces/default/services', sent);
  expect(asked).toEqual(['ResourceQuota']);
});

test('a ledger that lacks what was not counted then is read as if that were nothing, and the sweep counts it', async () => {
  const world = await aWorld();
  await send(world, 'POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a' },
    spec: { clusterIP: 'None' },
  });
  const former = { jobs: 0, ...(isThere('CronJob') ? { cronJobs: 0 } : {}), pods: 0, cpu: 0, memory: 0 };
  const reserved = { no: 1, uid: 'gone', revision: 1, at: world.clock.now(), want: former, added: former };
  const document = {
    ...quota({ 'count/services': '2', pods: '5' }),
    metadata: { name: 'team', namespace: 'default', uid: 'uid-of-team' },
    status: { hard: { pods: '5' }, used: { pods: '0' } },
    ledger: { next: 2, counts: 3, since: former, open: [reserved] },
  };
  const key = { namespace: 'default', name: 'team' };
  await world.objects.commit('ResourceQuota', { key, was: 0, document });
  await swept(world);
  expect(await usedOf(world)).toEqual({ 'count/services': '1', pods: '0' });
  const stored = await world.objects.read('ResourceQuota', key);
  expect(stored?.document['ledger']).toMatchObject({ since: former, open: [{ want: former }] });
  expect(JSON.stringify(stored?.document['ledger'])).not.toContain('services');
});
