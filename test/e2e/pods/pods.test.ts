import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { TaskRecordSchema } from '../../../local/ecs/task-record.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, conditionsOf, eventually, linesOf, shellJob } from '../kube-calls.ts';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const put = (path: string, content: string): void => {
  const file = join(local.dataDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};
const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const shell = (name: string, script: string, more: object = {}) => ({
  name,
  image: 'busybox',
  command: ['sh', '-c', script],
  ...more,
});

/** What the embedded ECS has on disk. */
const tasks = () => {
  const folder = join(local.dataDir, 'ecs', 'tasks');
  return readdirSync(folder).map((id) =>
    TaskRecordSchema.parse(JSON.parse(readFileSync(join(folder, id, 'task.json'), 'utf8'))),
  );
};

describe.concurrent('Pods on the embedded runtime', { timeout: TEST_MS }, () => {
  test('secrets, a volume, a sidecar, and all that an attempt may know of itself', async ({ expect }) => {
    put('secrets/default/db/password', 'open sesame');
    put('configmaps/default/db/host', 'db.example.com');
    const scratch = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
    const up = '$MUSTER_VOLUME_SCRATCH/up';
    const spec = {
      restartPolicy: 'Never',
      volumes: [{ name: 'scratch', emptyDir: {} }],
      initContainers: [
        shell('made', 'echo "$JOB_COMPLETION_INDEX" > "$MUSTER_VOLUME_SCRATCH/made"', scratch),
        shell('log', `trap 'echo told >> out; exit 0' TERM; touch "${up}"; while :; do sleep 0.05; done`, {
          ...scratch,
          restartPolicy: 'Always',
        }),
      ],
      containers: [
        shell(
          'main',
          `until [ -e "${up}" ]; do sleep 0.05; done; echo "$(JOB_COMPLETION_INDEX) $(cat "$MUSTER_VOLUME_SCRATCH/made") $POD $UID_OF_IT $JOB $PASSWORD $HOST $WHERE" > "pod-$(JOB_COMPLETION_INDEX)"`,
          {
            ...scratch,
            env: [
              field('POD', 'metadata.name'),
              field('UID_OF_IT', 'metadata.uid'),
              field('JOB', "metadata.labels['job-name']"),
              { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
              { name: 'HOST', valueFrom: { configMapKeyRef: { name: 'db', key: 'host' } } },
              { name: 'WHERE', value: '$(JOB)/$(POD)' },
            ],
          },
        ),
      ],
    };
    await local.kube.create({
      metadata: { name: 'all' },
      spec: { completionMode: 'Indexed', completions: 2, parallelism: 2, template: { spec } },
    });
    expect(conditionsOf(await local.kube.ended('all'))).toContain('Complete');
    const pods = JSON.parse((await local.kube.ask('GET', '/api/v1/namespaces/default/pods')).text) as {
      items: { metadata: { name: string; uid: string } }[];
    };
    for (const index of [0, 1]) {
      const pod = pods.items.find(({ metadata }) => metadata.name.startsWith(`all-${index}-`))?.metadata;
      const [line] = linesOf(local.workspaceDir, `pod-${index}`);
      const name = pod?.name ?? '';
      expect(line).toBe(`${index} ${index} ${name} ${pod?.uid ?? ''} all open sesame db.example.com all/${name}`);
    }
    expect(linesOf(local.workspaceDir, 'out')).toEqual(['told', 'told']);
  });

  test('fieldRef of an address gives the one that the task has', async ({ expect }) => {
    const env = ['status.podIP', 'status.hostIP'].map((fieldPath, i) => field(`IP_${i}`, fieldPath));
    const script = 'echo "$IP_0 $IP_1 $MUSTER_ADDRESS" > address';
    const spec = { restartPolicy: 'Never', containers: [shell('main', script, { env })] };
    await local.kube.create({ metadata: { name: 'address' }, spec: { template: { spec } } });
    expect(conditionsOf(await local.kube.ended('address'))).toContain('Complete');
    expect(linesOf(local.workspaceDir, 'address')[0]).toMatch(/^(127\.\d+\.\d+\.\d+) \1 \1$/);
  });

  test('groups mean nothing to processes: what a volume holds is theirs, with the modes that it says', async ({
    expect,
  }) => {
    const securityContext = { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] };
    const items = [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }];
    const volumes = [
      { name: 'info', downwardAPI: { defaultMode: 0o400, items } },
      { name: 'data', emptyDir: {} },
    ];
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const script = 'stat -c %a "$MUSTER_VOLUME_INFO" "$MUSTER_VOLUME_INFO/name" "$MUSTER_VOLUME_DATA" > groups';
    const spec = {
      restartPolicy: 'Never',
      securityContext,
      volumes,
      containers: [shell('main', script, { volumeMounts })],
    };
    await local.kube.create({ metadata: { name: 'groups' }, spec: { template: { spec } } });
    expect(conditionsOf(await local.kube.ended('groups'))).toContain('Complete');
    expect(linesOf(local.workspaceDir, 'groups')).toEqual(['755', '400', '700']);
  });

  test('a Pod that asks for Spot gets it', async ({ expect }) => {
    const nodeSelector = { 'muster.run/capacity': 'spot' };
    const uid = await local.kube.create(shellJob('spot', 'true', {}, { nodeSelector }));
    await local.kube.ended('spot');
    const own = tasks().filter(({ startedBy }) => startedBy === uid);
    expect(own.map(({ capacityProvider }) => capacityProvider)).toEqual(['FARGATE_SPOT']);
  });

  test('a Pod whose secret is missing waits and says why', async ({ expect }) => {
    const env = [{ name: 'X', valueFrom: { secretKeyRef: { name: 'gone', key: 'k' } } }];
    const spec = { restartPolicy: 'Never', containers: [shell('main', 'echo never >> never', { env })] };
    await local.kube.create({ metadata: { name: 'waits' }, spec: { backoffLimit: 0, template: { spec } } });
    await eventually(
      async () => {
        const { text } = await local.kube.ask('GET', '/api/v1/namespaces/default/pods?labelSelector=job-name%3Dwaits');
        return text.includes('ResourceInitializationError') ? true : null;
      },
      () => 'the Pod does not say what is missing',
    );
    expect(conditionsOf(await local.kube.job('waits'))).toEqual([]);
    expect(linesOf(local.workspaceDir, 'never')).toEqual([]);
  });
});
