import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { ANNOTATIONS, CAPACITY_SELECTOR } from '../../../shared/domain/manifests/annotations.ts';
import { FurikoJobShape } from '../../../shared/capabilities/furiko/schema/furiko-job-shape.ts';
import { JobConfigShape } from '../../../shared/capabilities/furiko/schema/job-config-shape.ts';
import { JobShape } from '../../../shared/schema/job/job-shape.ts';
import { jsonFieldsOf, typeOf } from '../../../shared/schema/kinds/json-fields-of.ts';
import type { Field, FieldType } from '../../../shared/schema/kinds/kind-table.ts';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';
import type { PodField } from '../../../shared/schema/pod/pod-field.ts';
import { POD_FIELDS } from '../../../shared/schema/pod/pod-fields.ts';
import { ServiceAccountShape } from '../../../shared/schema/account/service-account-form.ts';
import { BindingShape, ClusterRoleShape, RoleShape } from '../../../shared/capabilities/access/schema/rbac-shapes.ts';
import { ServiceShape } from '../../../shared/schema/service/service-form.ts';
import { POD_SHAPES } from '../../../shared/schema/pod/pod-shape.ts';
import { differences } from './shape-differences.ts';

/** The table's name of each object that pod-shape.ts looks into. */
const GROUP_TYPES: Readonly<Record<keyof typeof POD_SHAPES, string>> = {
  metadata: 'ObjectMeta',
  spec: 'PodSpec',
  podSecurity: 'PodSecurityContext',
  volume: 'Volume',
  emptyDir: 'EmptyDirVolumeSource',
  hostPath: 'HostPathVolumeSource',
  configMap: 'ConfigMapVolumeSource',
  secret: 'SecretVolumeSource',
  keyFile: 'KeyToPath',
  downwardAPI: 'DownwardAPIVolumeSource',
  downwardFile: 'DownwardAPIVolumeFile',
  projected: 'ProjectedVolumeSource',
  projection: 'VolumeProjection',
  tokenProjection: 'ServiceAccountTokenProjection',
  claim: 'PersistentVolumeClaimVolumeSource',
  ephemeral: 'EphemeralVolumeSource',
  claimTemplate: 'PersistentVolumeClaimTemplate',
  claimSpec: 'PersistentVolumeClaimSpec',
  nfs: 'NFSVolumeSource',
  container: 'Container',
  env: 'EnvVar',
  valueFrom: 'EnvVarSource',
  fieldRef: 'ObjectFieldSelector',
  resourceFieldRef: 'ResourceFieldSelector',
  secretKeyRef: 'SecretKeySelector',
  configMapKeyRef: 'ConfigMapKeySelector',
  envFrom: 'EnvFromSource',
  configMapRef: 'ConfigMapEnvSource',
  secretRef: 'SecretEnvSource',
  resources: 'ResourceRequirements',
  port: 'ContainerPort',
  volumeMount: 'VolumeMount',
  containerSecurity: 'SecurityContext',
  capabilities: 'Capabilities',
};

const fieldOf = (type: string, name: string): Field => {
  const found = jsonFieldsOf(KINDS, type).find(([key]) => key === name);
  if (found === undefined) throw new Error(`no ${type}.${name}`);
  return found[1];
};

/** The types that a field's value holds. */
const namesIn = (type: FieldType): readonly string[] => {
  if (type.is === 'object') return [type.of];
  return type.is === 'list' || type.is === 'map' ? namesIn(type.of) : [];
};

const typesFrom = (roots: readonly string[], follow: (field: Field) => boolean): ReadonlySet<string> => {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const field of Object.values(typeOf(KINDS, name).fields))
      if (follow(field)) for (const inner of namesIn(field.type)) visit(inner);
  };
  for (const root of roots) visit(root);
  return seen;
};

const ROOTS = [...Object.keys(KINDS).filter((name) => KINDS[name]!.apiVersion !== undefined), 'ListMeta'];

describe('the table in itself', () => {
  test('has every type that it names, and none that nothing leads to', () => {
    expect([...typesFrom(ROOTS, () => true)].toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });

  test.each(Object.entries(KINDS))('%s: each number is used once, and is one that protobuf allows', (_, type) => {
    const numbers = Object.values(type.fields).map(({ no }) => no);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const no of numbers) expect(Number.isInteger(no) && no >= 1 && no <= 100).toBe(true);
  });

  test.each(Object.entries(KINDS))('%s: keys of lists are fields of their items', (_, type) => {
    for (const { type: list } of Object.values(type.fields)) {
      if (list.is !== 'list') continue;
      const keys = [
        ...(typeof list.apply === 'string' ? [] : list.apply),
        ...(typeof list.patch === 'string' ? [] : [list.patch.key]),
      ];
      const [item] = namesIn(list);
      for (const key of keys) expect(fieldOf(item!, key).type.is).toMatch(/string|int32/);
    }
  });

  test('embeds objects only', () => {
    const embedded = Object.values(KINDS).flatMap((type) => Object.values(type.fields).filter(({ inline }) => inline));
    expect(embedded.map(({ type }) => type.is)).toEqual(embedded.map(() => 'object'));
    expect(embedded.length).toBeGreaterThan(5);
  });

  test('describes all that is shown', () => {
    const shown = typesFrom(ROOTS, ({ served }) => served !== false);
    for (const name of shown) {
      expect(typeOf(KINDS, name).description, name).toMatch(/\.$/);
      for (const [key, field] of jsonFieldsOf(KINDS, name)) expect(field.description, `${name}.${key}`).toMatch(/\.$/);
    }
  });
});

describe('the table and what Muster admits', () => {
  test('a Job has the same fields, of the same types', () => {
    const seen: string[] = [];
    expect(differences(JobShape, { is: 'object', of: 'Job' }, 'Job', seen)).toEqual([]);
    expect(seen.length).toBeGreaterThan(150);
  });

  test.each<[string, z.core.$ZodType, number]>([
    ['FurikoJob', FurikoJobShape, 100],
    ['JobConfig', JobConfigShape, 130],
  ])('so has a %s, apart from what earlier versions called otherwise', (name, shape, paths) => {
    const seen: string[] = [];
    expect(differences(shape, { is: 'object', of: name }, name, seen, FORMER_FIELDS)).toEqual([]);
    expect(seen.length).toBeGreaterThan(paths);
  });

  test('so has a Service', () => {
    const seen: string[] = [];
    expect(differences(ServiceShape, { is: 'object', of: 'Service' }, 'Service', seen)).toEqual([]);
    expect(seen.length).toBeGreaterThan(25);
  });

  test.each<[string, z.core.$ZodType, number]>([
    ['Role', RoleShape, 40],
    ['ClusterRole', ClusterRoleShape, 40],
    ['RoleBinding', BindingShape, 40],
    ['ClusterRoleBinding', BindingShape, 40],
    ['ServiceAccount', ServiceAccountShape, 30],
  ])('so has a %s', (name, shape, paths) => {
    const seen: string[] = [];
    expect(differences(shape, { is: 'object', of: name }, name, seen)).toEqual([]);
    expect(seen.length).toBeGreaterThan(paths);
  });

  const groups = Object.keys(GROUP_TYPES) as (keyof typeof GROUP_TYPES)[];
  test.each(groups)('%s has the same fields', (group) => {
    const known = Object.keys(POD_SHAPES[group].shape).toSorted();
    expect(
      jsonFieldsOf(KINDS, GROUP_TYPES[group])
        .map(([key]) => key)
        .toSorted(),
    ).toEqual(known);
  });

  // An object's own metadata, and a claim's own spec, may hold what a template's must not.
  test.each(groups.filter((group) => group !== 'metadata' && group !== 'claimSpec'))(
    '%s: what is refused whatever it says is not shown',
    (group) => {
      const rows = Object.entries<PodField>(POD_FIELDS[group]);
      for (const [name, row] of rows)
        expect(fieldOf(GROUP_TYPES[group], name).served === false, name).toBe(
          row.kind === 'refused' && row.harmless.length === 0,
        );
    },
  );

  test("Muster's own words are found where they are written", () => {
    const annotations = fieldOf('ObjectMeta', 'annotations').description;
    for (const word of Object.values(ANNOTATIONS)) expect(annotations).toContain(word);
    expect(fieldOf('PodSpec', 'nodeSelector').description).toContain(CAPACITY_SELECTOR);
  });
});

/** What Furiko called differently once, by type: it is refused with its present name. */
const FORMER_FIELDS = {
  FurikoJobTemplate: ['task', 'maxRetryAttempts', 'pendingTimeoutSeconds', 'forbidForceDeletion', 'metadata', 'spec'],
  FurikoTaskTemplate: ['argoWorkflow', 'metadata', 'spec'],
};
