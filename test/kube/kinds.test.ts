import { describe, expect, test } from 'vitest';
import { apiVersionOf, pathOfAll, pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { ALL_KINDS, API_KINDS, STORED, isConfidential } from '../../shared/domain/kinds/api-kinds.ts';
import { DEFAULT_ROLES } from '../../shared/capabilities/access/domain/default-policy.ts';
import { SERVED } from '../../shared/kube/discovery/served-resources.ts';
import { ABSENT } from '../../shared/kube/namespace-defaults/absent-kinds.ts';
import { openApiDocument } from '../../shared/kube/openapi/documents.ts';
import { SERVED_KINDS } from '../../shared/kube/served-kinds.ts';
import { SEALED_FIELD, STORED_KINDS } from '../../shared/ports/object-store.ts';
import { KINDS } from '../../shared/schema/kinds/kinds.ts';
import { type World, aWorld } from './a-world.ts';

/** Kubernetes answers their deletes with the object; typed clients read nothing else from it. */
const DELETED_ARE_SHOWN: readonly string[] = [
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'ResourceQuota',
  'Service',
  'ServiceAccount',
  'StorageClass',
];

type Paths = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Answers }>>>>;
};
type Answers = {
  readonly '200': { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } } };
};

// What follows from a row of the table of kinds. A kind that forgets one of these is red here.

describe.each(ALL_KINDS.map((row) => [row.name, row] as const))('%s', (name, row) => {
  const { group, version, kind, plural, isNamespaced, verbs, grants, subresources = [] } = row;

  test('has its shape in the table of types', () => {
    expect(KINDS[name]).toMatchObject({ apiVersion: apiVersionOf(row) });
    expect(KINDS[name]?.kind ?? name).toBe(kind);
  });

  test('is listed by discovery, with its verbs', () => {
    const served = SERVED.find((each) => each.name === group && each.version === version);
    expect(served?.resources.filter((each) => each.type === name)).toMatchObject([{ plural, kind, verbs }]);
  });

  test('has its paths, verbs, and schema in OpenAPI', () => {
    const document = openApiDocument(group === '' ? 'api/v1' : `apis/${group}/${version}`);
    const { paths, components } = document as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
    };
    const collection = isNamespaced ? pathWithin(row, '{namespace}') : pathOfAll(row);
    const methods = { create: 'post', update: 'put', patch: 'patch', get: 'get', list: 'get' } as const;
    for (const [verb, method] of Object.entries(methods)) {
      const path = verb === 'create' || verb === 'list' ? collection : `${collection}/{name}`;
      expect([verb, paths[path]?.[method] !== undefined]).toEqual([verb, (verbs as readonly string[]).includes(verb)]);
    }
    for (const sub of subresources) expect(paths).toHaveProperty([`${collection}/{name}/${sub.name}`]);
    expect(components.schemas).toHaveProperty([KINDS[name]?.openapi ?? '']);
  });

  test('says in OpenAPI what a delete is answered with', () => {
    const document = openApiDocument(group === '' ? 'api/v1' : `apis/${group}/${version}`);
    const path = `${isNamespaced ? pathWithin(row, '{namespace}') : pathOfAll(row)}/{name}`;
    const answered = (document as Paths).paths[path]?.['delete']?.responses['200'].content['application/json'].schema
      .$ref;
    const of = DELETED_ARE_SHOWN.includes(name) ? KINDS[name] : KINDS['Status'];
    const does = (verbs as readonly string[]).includes('delete');
    expect(answered).toBe(does ? `#/components/schemas/${of?.openapi ?? ''}` : undefined);
  });

  test('is in the default roles, or only cluster-admin may touch it', () => {
    const named = DEFAULT_ROLES.flatMap((role) =>
      (role.rules ?? [])
        .filter((rule) => rule.apiGroups?.includes(group) === true && rule.resources?.includes(plural) === true)
        .map(() => role.name),
    );
    expect(named.length > 0).toBe(grants.some(({ of }) => of.includes('')));
    // Who may change objects may see them, and so may who may only look, but for Secrets.
    const mayChange = grants.some(({ role, verbs: granted }) => role === 'edit' && granted.includes('create'));
    expect(named.includes('view') || isConfidential(name) || !mayChange).toBe(true);
  });

  test('is not said to be absent', () => {
    expect(ABSENT.filter((each) => each.group === group && each.plural === plural)).toEqual([]);
  });
});

describe.each(STORED.map(({ name }) => name))('%s, which is stored as it is shown', (name) => {
  test('has a store, a printer, and routes under its own name', () => {
    expect(STORED_KINDS).toContain(name);
    expect(SERVED_KINDS[name].resource).toBe(name);
    expect(SERVED_KINDS[name].printer.columns.map((column) => column.name)).toContain('Name');
  });
});

const NAMESPACED = STORED.filter(({ isNamespaced }) => isNamespaced);

describe.each(NAMESPACED.map(({ name }) => name))('%s, which is stored in a namespace', (name) => {
  test('goes with its namespace', async () => {
    const world = await aWorld();
    await putInTeam(world, name);
    expect((await world.objects.list(name, PAGE)).objects).toHaveLength(1);
    await world.app.request('/api/v1/namespaces/team', { method: 'DELETE' });
    expect((await world.objects.list(name, PAGE)).objects).toEqual([]);
    expect(await world.objects.read('Namespace', { namespace: '', name: 'team' })).toBeNull();
  });
});

describe.each(NAMESPACED.map(({ name }) => [name, API_KINDS[name]] as const))('a deleted %s', (name, row) => {
  test('is answered with the object, if Kubernetes does, and else with a Status', async () => {
    const world = await aWorld();
    await world.post('/api/v1/namespaces', TEAM);
    await store(world, name);
    const at = `${pathWithin(row, 'team')}/a`;
    const answer = await world.app.request(at, { method: 'DELETE' });
    const asObject = { apiVersion: apiVersionOf(row), kind: row.kind, metadata: { name: 'a', namespace: 'team' } };
    const asStatus = { kind: 'Status', status: 'Success', details: { name: 'a', kind: row.plural } };
    const body: unknown = await answer.json();
    expect([answer.status, body]).toMatchObject([200, DELETED_ARE_SHOWN.includes(name) ? asObject : asStatus]);
    expect((await world.app.request(at)).status).toBe(404);
  });
});

const TEAM = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
const PAGE = { namespace: 'team', after: null, limit: 10 } as const;

/** Stores a namespace, and an object in it as a release before this one may have. */
async function putInTeam(world: World, name: (typeof STORED)[number]['name']): Promise<void> {
  await world.post('/api/v1/namespaces', TEAM);
  const found = await world.objects.list(name, PAGE);
  if (found.objects.length === 0) await store(world, name);
}

async function store(world: World, name: (typeof STORED)[number]['name']): Promise<void> {
  const key = { namespace: 'team', name: 'a' };
  const metadata = { ...key, uid: '00000000-0000-4000-8000-000000000001' };
  const open = { apiVersion: apiVersionOf(API_KINDS[name]), kind: API_KINDS[name].kind, metadata, spec: {} };
  const document = isConfidential(name) ? { metadata: { uid: metadata.uid }, [SEALED_FIELD]: 'AA==' } : open;
  const stored = await world.objects.commit(name, { key, was: 0, document });
  expect(stored.kind).toBe('committed');
}
