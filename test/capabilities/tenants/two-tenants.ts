import { expect } from 'vitest';
import type { Policy } from '../../../shared/capabilities/access/domain/policy.ts';
import { aGuardedWorld, grants, rule } from '../../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { FURIKO } from '../../../shared/capabilities/furiko/test/kube/a-furiko-world.ts';
import { SCHEDULE_KINDS } from '../../../shared/capabilities/schedules/kinds/index.ts';
import { WORK_LIST_ROWS } from '../../../shared/capabilities/worklists/kinds/index.ts';
import { arnOf } from '../../kube/a-world.ts';

// Two teams, each with a namespace that has objects of all kinds, and an admin who may do everything in it.

export type Tenant = {
  readonly user: 'alice' | 'bob';
  readonly namespace: 'team-a' | 'team-b';
  /** In every value that only this tenant may see. */
  readonly secret: string;
  /** At the beginning of the names of all its objects. */
  readonly prefix: string;
  readonly nonce: number;
};

export const ALICE: Tenant = { user: 'alice', namespace: 'team-a', secret: 'zqaqz', prefix: 'nna', nonce: 1 };
export const BOB: Tenant = { user: 'bob', namespace: 'team-b', secret: 'zqbqz', prefix: 'nnb', nonce: 2 };

/** What names of objects end with, by where they are listed. */
export const KINDS = [
  ['/apis/batch/v1', 'jobs', 'job'],
  ['/apis/batch/v1', SCHEDULE_KINDS.CronJob.plural, 'cron'],
  [FURIKO, 'jobs', 'run'],
  [FURIKO, 'jobconfigs', 'config'],
  ['/apis/muster.run/v1', WORK_LIST_ROWS.WorkList.plural, 'list'],
  ['/api/v1', 'services', 'service'],
] as const;

const ADMIN = [
  rule('* batch/*'),
  rule('* execution.furiko.io/*'),
  rule('* muster.run/*'),
  rule('* pods,pods/log,pods/status,pods/eviction,services,events,serviceaccounts,configmaps'),
  rule('get,list,watch namespaces,namespaces/status'),
  rule('create authorization.k8s.io/localsubjectaccessreviews'),
];
const ASKING = [
  rule('create authorization.k8s.io/selfsubjectaccessreviews,authorization.k8s.io/selfsubjectrulesreviews'),
  rule('create authentication.k8s.io/selfsubjectreviews'),
];
const PATHS = [rule('get /version,/healthz,/livez,/readyz,/openapi,/openapi/*,/api,/api/*,/apis,/apis/*')];

const TENANTS: Policy = grants(
  { user: 'system:authenticated', namespace: '', rules: [...ASKING, ...PATHS] },
  ...[ALICE, BOB].map(({ user, namespace }) => ({ user, namespace, rules: ADMIN })),
);

export type TenantWorld = Awaited<ReturnType<typeof aTenantWorld>>;

export async function aTenantWorld() {
  const submitted: string[] = [];
  const submissions = {
    send: async (text: string) => {
      submitted.push(text);
      return 'id';
    },
  };
  const world = await aGuardedWorld(TENANTS, { streamMaxSec: 2, openStreamsMax: 50 }, { submissions });
  for (const tenant of [ALICE, BOB]) await furnish(world, tenant);
  return { ...world, submitted };
}

type Furnished = Awaited<ReturnType<typeof aGuardedWorld>>;

const templateOf = ({ secret }: Tenant) => ({
  spec: {
    restartPolicy: 'Never',
    containers: [
      { name: 'main', image: `${secret}/image`, command: ['echo', secret], env: [{ name: 'KEY', value: secret }] },
    ],
  },
});

const metadataOf = ({ prefix, secret }: Tenant, suffix: string) => ({
  name: `${prefix}-${suffix}`,
  annotations: { note: secret },
  labels: { team: secret },
});

/** Its objects, in the order of {@link KINDS}. */
export function documentsOf(tenant: Tenant): readonly Record<string, unknown>[] {
  const { secret, prefix } = tenant;
  const template = templateOf(tenant);
  const taskTemplate = { pod: { spec: { containers: template.spec.containers } } };
  const [job, cron, run, config, list, service] = KINDS.map(([, , suffix]) => metadataOf(tenant, suffix));
  const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1, template };
  return [
    { apiVersion: 'batch/v1', kind: 'Job', metadata: job, spec },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { ...cron, annotations: { ...cron?.annotations, 'muster.run/on-object-created': 'bucket-x/*' } },
      spec: { schedule: '0 3 * * *', jobTemplate: { metadata: { annotations: { note: secret } }, spec } },
    },
    {
      apiVersion: 'execution.furiko.io/v1alpha1',
      kind: 'Job',
      metadata: run,
      spec: { template: { taskTemplate, maxAttempts: 2 } },
    },
    {
      apiVersion: 'execution.furiko.io/v1alpha1',
      kind: 'JobConfig',
      metadata: config,
      spec: { template: { spec: { taskTemplate } }, concurrency: { policy: 'Allow' } },
    },
    {
      apiVersion: 'muster.run/v1',
      kind: 'WorkList',
      metadata: list,
      spec: { columns: ['FILE'], items: [[secret], [`${secret}-${prefix}`]] },
    },
    { apiVersion: 'v1', kind: 'Service', metadata: service, spec: { clusterIP: 'None', selector: { team: secret } } },
  ];
}

async function furnish(world: Furnished, tenant: Tenant): Promise<void> {
  const { namespace, nonce, prefix, secret } = tenant;
  const created = async (path: string, document: unknown) => {
    const response = await world.asMaster('POST', path, document);
    expect(response.status, await response.text()).toBe(201);
  };
  for (const [i, document] of documentsOf(tenant).entries()) {
    const [group, plural] = KINDS[i] ?? KINDS[0];
    await created(`${group}/namespaces/${namespace}/${plural}`, document);
  }
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const [job] = documentsOf(tenant);
  const heldSpec = { template: templateOf(tenant), completionMode: 'Indexed', completions: 1 };
  const listed = { note: secret, 'muster.run/work-list': `${prefix}-list` };
  const metadata = { name: `${prefix}-items`, annotations: listed };
  await created(jobs, { ...job, metadata, spec: { template: templateOf(tenant), completionMode: 'Indexed' } });
  await created(jobs, { ...job, metadata: metadataOf(tenant, 'held'), spec: { ...heldSpec, suspend: true } });
  const name = `${namespace}/${prefix}-job`;
  const running = [
    { op: 'claim', index: 0 },
    { op: 'launched', index: 0 },
    { op: 'running', index: 0 },
  ] as const;
  await world.commit(name, running);
  await world.launch(name, [{ index: 0, attempt: 1, nonce }]);
  world.printIn(arnOf(0, 1, nonce), 'main', `the log says ${secret}`, `and again ${secret}`);
}
