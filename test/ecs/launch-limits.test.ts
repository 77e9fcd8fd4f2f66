import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPlacement, runTaskInput } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { mainFirst, registerInput } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { ZONE_CHARS_MAX } from '../../shared/domain/task/host-names.ts';
import { overridesCharsMax, overridesOf } from '../../shared/domain/task/launch-overrides.ts';
import type { JobManifest } from '../../shared/domain/manifests/manifest.ts';
import { podName, podUid } from '../../shared/domain/task/pod-name.ts';
import { capacityOf, taskDefinitionOf } from '../../shared/domain/task/pod-template.ts';
import { taskEnvironment } from '../../shared/domain/task/task-environment.ts';
import { fieldErrorText } from '../../shared/schema/object/field-error.ts';
import { admitJob } from '../../shared/schema/job/job-manifest.ts';

/** What AWS takes (aws.md 1.1, 1.2, 1.5, 1.6). */
const ECS = {
  overridesChars: 8_192,
  definitionBytes: 64 * 1024,
  startedByChars: 128,
  groupChars: 255,
  tokenChars: 64,
  familyChars: 255,
  containers: 10,
};
const UID = asJobUid('5f0c3ae1-7a54-4f5e-9d57-6f0f9f0f6a11');
/** An installation whose names are long. */
const SETTINGS = {
  region: 'ap-southeast-99',
  executionRoleArn: `arn:aws-us-gov:iam::123456789012:role/${'r'.repeat(64)}`,
  taskRoleArn: null,
  taskRoles: null,
  logGroup: `/muster/${'g'.repeat(500)}`,
};
const ROLE = `arn:aws-us-gov:iam::123456789012:role/${'t'.repeat(64)}`;
const PLACEMENT = formatPlacement({
  cluster: 'c',
  subnets: ['subnet-1'],
  securityGroups: [],
  assignPublicIp: 'DISABLED',
  capacity: 'FARGATE',
});

/** The definition of a Job, and the launch of its last index, however often that was tried. */
function requestsOf(manifest: JobManifest, { attempt, nonce }: { attempt: number; nonce: number }) {
  const { name, namespace } = manifest.metadata;
  const { completionMode, completions = 1, template } = manifest.spec;
  const definition = taskDefinitionOf(manifest, { hash: () => '0'.repeat(64) });
  const id = { index: Math.max(completions - 1, 0), attempt, nonce };
  const overrides = overridesOf(manifest, {
    podName: podName({ uid: UID, name, completionMode }, id.index, attempt),
    podUid: podUid(UID, id.index, attempt),
    completionIndex: id.index,
    completions: 1_000_000,
    retryIndex: attempt - 1,
    failureCount: attempt,
    ignoredFailureCount: attempt,
    item: null,
    labels: template.metadata.labels,
  });
  const launch = runTaskInput({
    job: { uid: UID, namespace, name },
    id,
    template: { taskDefinition: 'arn', containers: mainFirst(definition.containers), placement: PLACEMENT },
    env: taskEnvironment(manifest, { ...id, restarts: 0 }, 'z'.repeat(ZONE_CHARS_MAX)),
    overrides,
    capacity: capacityOf(manifest),
  });
  return { definition: registerInput(definition, SETTINGS, ROLE), launch };
}

const label = (max: number) => fc.integer({ min: 1, max }).map((length) => 'a'.repeat(length));
const variable = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }) },
  { weight: 2, arbitrary: fc.constant({ valueFrom: { fieldRef: { fieldPath: "metadata.labels['job-name']" } } }) },
  {
    weight: 3,
    arbitrary: fc.record({ value: fc.integer({ min: 0, max: 900 }).map((n) => `$(V0)${'"é\n'.repeat(n / 3)}`) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      valueFrom: fc.record({ secretKeyRef: fc.record({ name: label(253), key: label(253) }) }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constant({ valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }),
  },
  { weight: 3, arbitrary: fc.record({ value: fc.integer({ min: 0, max: 9_000 }).map((n) => 'é'.repeat(n)) }) },
);
const container = fc
  .record({
    name: label(50),
    variables: fc.array(variable, { maxLength: 30 }),
    args: fc.array(fc.constantFrom('plain', '$(V0)', '--index=$(JOB_COMPLETION_INDEX)'), { maxLength: 30 }),
    mounts: fc.array(label(200), { maxLength: 8 }),
    ports: fc.integer({ min: 0, max: 40 }),
  })
  .map(({ name, variables, args, mounts, ports }) => ({
    name,
    image: 'busybox',
    args,
    // a reference to a secret's value is refused, which is none of this test's business
    env: variables.map((fields, i) => ({
      name: `V${i}`,
      ...(i === 0 && !('value' in fields) ? { value: 'x' } : fields),
    })),
    volumeMounts: mounts.map((path, i) => ({ name: 'volume', mountPath: `/${i}${path}` })),
    ports: Array.from({ length: ports }, (_, i) => ({ containerPort: 1000 + i })),
  }));
const job = fc.record({
  name: label(50),
  namespace: label(63),
  completions: fc.constantFrom(1, 1_000, 2_000),
  completionMode: fc.constantFrom('Indexed', 'Indexed', 'NonIndexed'),
  subdomain: fc.constantFrom('', 'w', 'workers-of-a-long-name'),
  containers: fc.array(container, { minLength: 1, maxLength: 6 }),
  init: fc.array(container, { maxLength: 4 }),
});

type Wish = typeof job extends fc.Arbitrary<infer T> ? T : never;
const admit = ({ name, namespace, completions, completionMode, subdomain, containers, init }: Wish) =>
  admitJob(
    {
      metadata: { name },
      spec: {
        completionMode,
        completions,
        template: {
          spec: {
            restartPolicy: 'Never',
            ...(completionMode === 'Indexed' && subdomain !== '' ? { subdomain } : {}),
            containers: containers.map((each, i) => ({ ...each, name: `c${i}-${each.name}` })),
            initContainers: init.map((each, i) => ({ ...each, name: `i${i}-${each.name}` })),
            volumes: [{ name: 'volume', emptyDir: {} }],
          },
        },
      },
    },
    { namespace, uid: UID, nameSuffix: 'x7k2z', fieldValidation: 'Strict' },
  );

/** The suffix of a Pod's name holds no more of them. */
const WORST = { attempt: 7_000_000, nonce: 2_147_483_647 };
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

test('whatever is admitted fits what AWS takes, to the last index and attempt', () => {
  const seen = { fits: 0, overrides: 0, definition: 0, nearOverrides: 0, nearDefinition: 0 };
  fc.assert(
    fc.property(job, (wish) => {
      const admission = admit(wish);
      if (admission.kind === 'undecodable') throw new Error(admission.message);
      if (admission.kind === 'invalid') {
        for (const fault of admission.errors) {
          const sentence = `${fault.path}: ${fieldErrorText(fault)}`;
          const [, needs, of] = /needs (\d+) (?:characters|bytes), and ECS allows (\d+)/.exec(sentence) ?? [];
          if (needs === undefined) continue; // a late program, a name that is too long: not what is asked here
          if (Number(needs) <= Number(of)) throw new Error(sentence);
          if (sentence.includes('characters, and ECS')) seen.overrides++;
          if (sentence.includes('task definition')) seen.definition++;
        }
        return;
      }
      seen.fits++;
      const { definition, launch } = requestsOf(admission.manifest, WORST);
      const chars = JSON.stringify(launch.overrides).length;
      const size = bytes(definition);
      expect(chars).toBeLessThanOrEqual(ECS.overridesChars);
      expect(chars).toBeLessThanOrEqual(overridesCharsMax(admission.manifest));
      expect(size).toBeLessThanOrEqual(ECS.definitionBytes);
      if (chars > ECS.overridesChars / 2) seen.nearOverrides++;
      if (size > ECS.definitionBytes / 2) seen.nearDefinition++;
      expect(launch.startedBy?.length).toBeLessThanOrEqual(ECS.startedByChars);
      expect(launch.group?.length).toBeLessThanOrEqual(ECS.groupChars);
      expect(launch.clientToken?.length).toBeLessThanOrEqual(ECS.tokenChars);
      expect(definition.family?.length).toBeLessThanOrEqual(ECS.familyChars);
      expect(definition.containerDefinitions?.length).toBeLessThanOrEqual(ECS.containers);
    }),
    { numRuns: 200, seed: 11 },
  );
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(5);
});

/** What a definition can have many of, each of the least size: what is added to each weighs most there. */
const MANY: readonly Many[] = [
  { what: 'secrets', most: 4_000, main: (n) => ({ env: times(n, (i) => keyOf(`S${i}`, 'secretKeyRef')) }) },
  {
    what: 'keys of ConfigMaps',
    most: 4_000,
    main: (n) => ({ env: times(n, (i) => keyOf(`C${i}`, 'configMapKeyRef')) }),
  },
  { what: 'variables', most: 4_000, main: (n) => ({ env: times(n, (i) => ({ name: `V${i}` })) }) },
  { what: 'ports', most: 4_000, main: (n) => ({ ports: times(n, (i) => ({ containerPort: 1 + i })) }) },
  {
    what: 'mounts',
    most: 4_000,
    main: (n) => ({ volumeMounts: times(n, (i) => ({ name: 'v0', mountPath: `/${i}` })) }),
  },
  {
    what: 'volumes',
    most: 1_000,
    main: (n) => ({ volumeMounts: times(n, (i) => ({ name: `v${i}`, mountPath: `/${i}` })) }),
  },
  { what: 'words', most: 30_000, main: (n) => ({ args: times(n, () => '') }) },
  { what: 'letters beside nine containers', most: 70_000, main: (n) => ({ args: ['x'.repeat(n)] }), others: 9 },
];
type Many = {
  readonly what: string;
  readonly most: number;
  readonly main: (n: number) => object;
  readonly others?: number;
};
const keyOf = (name: string, kind: string) => ({ name, valueFrom: { [kind]: { name: 's', key: 'k' } } });
const times = <T>(n: number, make: (i: number) => T): readonly T[] => Array.from({ length: n }, (_, i) => make(i));

test.each(MANY)(
  'as many $what as are admitted fit, and not far fewer than would',
  ({ what, most, main, others = 0 }) => {
    const admitted = (n: number): JobManifest | null => {
      const spec = {
        restartPolicy: 'Never',
        containers: [
          { name: 'main', image: 'i', ...main(n) },
          ...times(others, (i) => ({ name: `c${i}`, image: 'i' })),
        ],
        volumes: times(what === 'volumes' ? n : 1, (i) => ({ name: `v${i}` })),
      };
      const document = { metadata: { name: 'sums' }, spec: { template: { spec } } };
      const admission = admitJob(document, {
        namespace: 'default',
        uid: UID,
        nameSuffix: 'x7k2z',
        fieldValidation: 'Strict',
      });
      return admission.kind === 'ok' ? admission.manifest : null;
    };
    let [fits, not] = [1, most];
    while (not - fits > 1) {
      const n = Math.floor((fits + not) / 2);
      if (admitted(n) === null) not = n;
      else fits = n;
    }
    const size = bytes(requestsOf(admitted(fits)!, WORST).definition);
    expect(size).toBeLessThanOrEqual(ECS.definitionBytes);
    expect(size).toBeGreaterThan(ECS.definitionBytes / 2);
  },
);
