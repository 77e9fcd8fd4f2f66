import { expect, test } from 'vitest';
import { withPodDefaults } from '../../../shared/kube/pods/pod-defaults.ts';
import { PODS, JOBS, START, aWorld, manifest } from '../a-world.ts';

const container = (name: string, more: object = {}) => ({ name, image: 'busybox', ...more });
const TEMPLATE = {
  containers: [
    container('main', { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } }),
    container('side', { resources: {} }),
  ],
  initContainers: [container('init', { resources: { limits: { memory: '1Gi' } } })],
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 30,
} as const;

test("a Pod's limits stand for requests that are not there", () => {
  const { containers, initContainers = [] } = withPodDefaults(TEMPLATE);
  expect([...containers, ...initContainers].map(({ resources }) => resources)).toEqual([
    { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } },
    {},
    { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } },
  ]);
});

test.each<[string, object, boolean]>([
  ['unless it says so', {}, true],
  ['and what it says stays', { enableServiceLinks: false }, false],
])('a Pod has service links, %s', (_, said, expected) => {
  expect(withPodDefaults({ ...TEMPLATE, ...said })).toMatchObject({ enableServiceLinks: expected });
});

test('Pods show what the template says, though it changes nothing, and its defaults', async () => {
  const world = await aWorld();
  const said = { hostNetwork: false, os: { name: 'linux' } };
  const { spec, ...job } = manifest('sums') as { spec: { template: { spec: object } } };
  const template = { spec: { ...spec.template.spec, ...said } };
  await world.post(JOBS, { ...job, spec: { ...spec, template } });
  await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
  const { items } = (await (await world.get(PODS)).json()) as { items: { spec: object }[] };
  expect(items.map((pod) => pod.spec)).toMatchObject([
    {
      ...said,
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      schedulerName: 'default-scheduler',
      securityContext: {},
      containers: [{ terminationMessagePolicy: 'File', resources: {} }],
    },
  ]);
});
