import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DefinitionRequestSchema, DefinitionSchema, definitionProblem } from '../../local/ecs/definition.ts';
import { RunTaskSchema } from '../../local/ecs/requests.ts';
import { checkRunTask } from '../../local/ecs/run-task.ts';
import { formatPlacement, runTaskInput } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { mainFirst, registerInput } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { overridesOf } from '../../shared/domain/task/launch-overrides.ts';
import { capacityOf, taskDefinitionOf } from '../../shared/domain/task/pod-template.ts';
import { admitJob } from '../../shared/schema/job/job-manifest.ts';

const VOLUMES = ['scratch', 'big-one'];
const SETTINGS = {
  region: 'eu-central-1',
  executionRoleArn: 'arn:aws:iam::123456789012:role/exec',
  taskRoleArn: null,
  taskRoles: null,
  logGroup: '/muster/tasks',
};
const PLACEMENT = formatPlacement({
  cluster: 'jobs',
  subnets: ['subnet-1'],
  securityGroups: [],
  assignPublicIp: 'ENABLED',
  capacity: 'FARGATE',
});

const word = fc.constantFrom('a', '$(A)', '$(B)/x', '$(JOB_COMPLETION_INDEX)', '$$(A)', '$(date)', 'x'.repeat(40));
const source = fc.constantFrom(
  { fieldRef: { fieldPath: 'metadata.name' } },
  { fieldRef: { fieldPath: 'metadata.uid' } },
  { fieldRef: { fieldPath: "metadata.labels['job-name']" } },
  { fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" } },
  { resourceFieldRef: { resource: 'limits.cpu' } },
  { secretKeyRef: { name: 'db', key: 'password' } },
  { configMapKeyRef: { name: 'db', key: 'host' } },
);
const variable = fc.record({ name: fc.constantFrom('A', 'B', 'C', 'JOB_COMPLETION_INDEX') }).chain(({ name }) =>
  fc.oneof(
    word.map((value) => ({ name, value })),
    source.map((valueFrom) => ({ name, valueFrom })),
  ),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const container = fc.record({
  image: fc.constant('busybox'),
  command: maybe(fc.array(word, { maxLength: 3 })),
  args: maybe(fc.array(word, { maxLength: 3 })),
  env: maybe(fc.array(variable, { maxLength: 5 })),
  resources: fc.constant({ limits: { cpu: '1', memory: '1Gi' } }),
  ports: maybe(
    fc.array(fc.record({ containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom('TCP', 'UDP') }), {
      maxLength: 3,
    }),
  ),
  volumeMounts: maybe(
    fc.uniqueArray(
      fc.record({ name: fc.constantFrom(...VOLUMES), mountPath: fc.constantFrom('/a', '/b'), readOnly: fc.boolean() }),
      { maxLength: 2, selector: ({ mountPath }) => mountPath },
    ),
  ),
  securityContext: maybe(
    fc.record({
      runAsUser: fc.constantFrom(0, 1000),
      readOnlyRootFilesystem: fc.boolean(),
      capabilities: fc.constantFrom({}, { drop: ['ALL'], add: ['SYS_PTRACE'] }),
    }),
  ),
});
const initContainer = fc
  .tuple(container, maybe(fc.constant('Always')))
  .map(([fields, restartPolicy]) => ({ ...fields, restartPolicy }));
const named = <T extends object>(prefix: string, list: readonly T[]) =>
  list.map((fields, i) => ({ ...fields, name: `${prefix}${i}` }));
const template = fc
  .record({
    containers: fc.array(container, { minLength: 1, maxLength: 3 }),
    initContainers: fc.array(initContainer, { maxLength: 3 }),
    sizeLimit: fc.constantFrom('1Gi', '30Gi', '99Gi'),
    nodeSelector: fc.constantFrom({}, { 'muster.run/capacity': 'spot' }, { 'kubernetes.io/arch': 'arm64' }),
  })
  .map(({ containers, initContainers, sizeLimit, nodeSelector }) => ({
    spec: {
      restartPolicy: 'Never',
      containers: named('c', containers),
      initContainers: named('i', initContainers),
      volumes: VOLUMES.map((name) => ({ name, emptyDir: { sizeLimit } })),
      nodeSelector,
    },
  }));

test('what admission lets in, ECS takes: the definition, and the launch of any attempt', () => {
  let taken = 0;
  fc.assert(
    fc.property(template, fc.constantFrom('Indexed', 'NonIndexed'), (pod, completionMode) => {
      const admission = admitJob(
        { metadata: { name: 'sums' }, spec: { completionMode, completions: 10, template: pod } },
        { namespace: 'default', uid: 'uid-1', nameSuffix: 'x7k2z', fieldValidation: 'Strict' },
      );
      if (admission.kind !== 'ok') return; // a secret in a word, or a program that is known too late
      taken++;
      const { manifest } = admission;
      const made = taskDefinitionOf(manifest, { hash: () => '9c1f' });
      const request = DefinitionRequestSchema.parse(registerInput(made, SETTINGS, null));
      expect(definitionProblem(request)).toBeNull();
      const definition = DefinitionSchema.parse({ ...request, revision: 1, registeredAtMs: 0, tags: [] });
      const attempt = {
        podName: 'sums-9-abcde',
        podUid: 'pod-uid',
        completionIndex: 9,
        completions: null,
        failureCount: 2,
        ignoredFailureCount: 1,
        retryIndex: 4,
        item: null,
        labels: manifest.spec.template.metadata.labels,
      };
      const launch = RunTaskSchema.parse(
        runTaskInput({
          job: { uid: asJobUid('uid-1'), namespace: 'default', name: 'sums' },
          id: { index: 9, attempt: 1, nonce: 0 },
          template: { taskDefinition: 'arn', containers: mainFirst(made.containers), placement: PLACEMENT },
          env: [],
          overrides: overridesOf(manifest, attempt),
          capacity: capacityOf(manifest),
        }),
      );
      expect(() => checkRunTask(launch, definition)).not.toThrow();
      for (const { name, environment = [], secrets = [] } of definition.containerDefinitions) {
        const override = launch.overrides?.containerOverrides?.find((other) => other.name === name);
        const late = override?.environment?.map((other) => other.name) ?? [];
        // ECS takes no variable of a secret's name, and a variable that is set twice would depend on the order
        expect(secrets.filter((secret) => late.includes(secret.name))).toEqual([]);
        expect(environment.filter((other) => late.includes(other.name))).toEqual([]);
      }
    }),
    { numRuns: 500, seed: 7 },
  );
  expect(taken).toBeGreaterThan(200);
});
