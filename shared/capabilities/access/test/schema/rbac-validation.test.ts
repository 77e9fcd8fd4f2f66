import { describe, expect, test } from 'vitest';
import { causeReason, fieldErrorText } from '../../../../schema/object/field-error.ts';
import { CLUSTER_ROLE_BINDING_FORM, ROLE_BINDING_FORM } from '../../schema/binding-forms.ts';
import {
  type PlainForm,
  type PlainShape,
  admitPlain,
  admitPlainUpdate,
} from '../../../../schema/object/plain-admission.ts';
import { CLUSTER_ROLE_FORM, ROLE_FORM } from '../../schema/role-forms.ts';
import { SERVICE_ACCOUNT_FORM } from '../../../../schema/account/service-account-form.ts';

const GROUP = 'rbac.authorization.k8s.io';
const NAMED = { metadata: { name: 'default' } };
const FORMS = { ROLE_FORM, CLUSTER_ROLE_FORM, ROLE_BINDING_FORM, CLUSTER_ROLE_BINDING_FORM, SERVICE_ACCOUNT_FORM };

function admitted<T extends PlainShape>(form: PlainForm<T>, document: object) {
  const namespace = form.resource.isNamespaced ? 'default' : '';
  return admitPlain(form, document, { namespace, nameSuffix: 'abcde', fieldValidation: 'Strict' });
}

/** Each fault as `reason path`. */
function faultsOf<T extends PlainShape>(form: PlainForm<T>, document: object): readonly string[] {
  const found = admitted(form, document);
  if (found.kind === 'undecodable') throw new Error(found.message);
  return found.kind === 'ok' ? [] : found.errors.map(({ kind, path }) => `${causeReason(kind)} ${path}`);
}

function wordsOf<T extends PlainShape>(form: PlainForm<T>, document: object): readonly string[] {
  const found = admitted(form, document);
  return found.kind === 'invalid' ? found.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`) : [];
}

const URLS = ['/*'];
const PODS = { apiGroups: ['v1'], resources: ['pods'] };

describe('rules', () => {
  test.each<[string, keyof typeof FORMS, object, readonly string[]]>([
    ['none', 'ROLE_FORM', {}, []],
    ['none in a ClusterRole', 'CLUSTER_ROLE_FORM', {}, []],
    ['paths in a ClusterRole', 'CLUSTER_ROLE_FORM', { verbs: ['get'], nonResourceURLs: URLS }, []],
    [
      'paths in a Role',
      'ROLE_FORM',
      { verbs: ['get'], nonResourceURLs: URLS },
      ['FieldValueInvalid rules[0].nonResourceURLs'],
    ],
    [
      'paths without verbs',
      'CLUSTER_ROLE_FORM',
      { verbs: [], nonResourceURLs: URLS },
      ['FieldValueRequired rules[0].verbs'],
    ],
    [
      'paths and resources in a Role',
      'ROLE_FORM',
      { verbs: ['get'], nonResourceURLs: URLS, ...PODS },
      ['FieldValueInvalid rules[0].nonResourceURLs', 'FieldValueInvalid rules[0].nonResourceURLs'],
    ],
    [
      'paths and names in a ClusterRole',
      'CLUSTER_ROLE_FORM',
      { verbs: ['get'], nonResourceURLs: URLS, resourceNames: ['a'] },
      ['FieldValueInvalid rules[0].nonResourceURLs'],
    ],
    ['resources', 'ROLE_FORM', { verbs: ['get'], ...PODS }, []],
    [
      'names of several resources',
      'ROLE_FORM',
      { verbs: ['get'], apiGroups: [''], resources: ['a', 'b'], resourceNames: ['x'] },
      [],
    ],
    ['no group', 'ROLE_FORM', { verbs: ['get'], resources: ['pods'] }, ['FieldValueRequired rules[0].apiGroups']],
    ['no resource', 'ROLE_FORM', { verbs: ['get'], apiGroups: ['v1'] }, ['FieldValueRequired rules[0].resources']],
    [
      'nothing at all',
      'CLUSTER_ROLE_FORM',
      { resourceNames: ['x'] },
      [
        'FieldValueRequired rules[0].verbs',
        'FieldValueRequired rules[0].apiGroups',
        'FieldValueRequired rules[0].resources',
      ],
    ],
  ])('%s (%s)', (_, form, rule, faults) => {
    const rules = Object.keys(rule).length === 0 ? [] : [rule];
    expect(faultsOf(FORMS[form] as PlainForm<PlainShape>, { ...NAMED, rules })).toEqual(faults);
  });

  test('say what is wrong in upstream’s words', () => {
    expect(wordsOf(ROLE_FORM, { ...NAMED, rules: [{ nonResourceURLs: URLS, ...PODS }] })).toEqual([
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].nonResourceURLs: Invalid value: ["/*"]: namespaced rules cannot apply to non-resource URLs',
      'rules[0].nonResourceURLs: Invalid value: ["/*"]: rules cannot apply to both regular resources and non-resource URLs',
    ]);
    expect(wordsOf(ROLE_FORM, { ...NAMED, rules: [{ verbs: ['get'] }] })).toEqual([
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ]);
  });

  test('keep what they have, without empty lists', () => {
    const found = admitted(CLUSTER_ROLE_FORM, {
      ...NAMED,
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [], nonResourceURLs: null }],
    });
    expect(found).toMatchObject({ kind: 'ok', manifest: { metadata: { name: 'default' } } });
    expect(found.kind === 'ok' && found.manifest.content).toEqual({
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
  });

  test('a ClusterRole is not gathered from others', () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    expect(wordsOf(CLUSTER_ROLE_FORM, { ...NAMED, aggregationRule })).toEqual([
      'aggregationRule: Forbidden: ClusterRoles are not put together from others here; list the rules of all of them in rules',
    ]);
    expect(faultsOf(CLUSTER_ROLE_FORM, { ...NAMED, aggregationRule: null })).toEqual([]);
  });
});

const toRole = (more: object) => ({ apiGroup: GROUP, kind: 'Role', name: 'valid', ...more });
const toClusterRole = (more: object) => ({ apiGroup: GROUP, kind: 'ClusterRole', name: 'valid', ...more });
const unsupported = (path: string) => [`FieldValueNotSupported ${path}`];
const missing = (path: string) => [`FieldValueRequired ${path}`];

describe('a binding', () => {
  test.each<[string, keyof typeof FORMS, object, readonly string[]]>([
    [
      'valid',
      'CLUSTER_ROLE_BINDING_FORM',
      {
        roleRef: toClusterRole({}),
        subjects: [
          { name: 'validsaname', namespace: 'foo', kind: 'ServiceAccount' },
          { name: 'valid@username', kind: 'User' },
          { name: 'valid@groupname', kind: 'Group', apiGroup: GROUP },
        ],
      },
      [],
    ],
    [
      'valid',
      'ROLE_BINDING_FORM',
      {
        roleRef: toRole({}),
        subjects: [
          { name: 'validsaname', kind: 'ServiceAccount' },
          { name: 'valid@username', kind: 'User' },
          { name: 'valid@groupname', kind: 'Group' },
        ],
      },
      [],
    ],
    ['without subjects', 'ROLE_BINDING_FORM', { roleRef: toClusterRole({}) }, []],
    [
      'a bad group',
      'CLUSTER_ROLE_BINDING_FORM',
      { roleRef: toClusterRole({ apiGroup: 'x' }) },
      unsupported('roleRef.apiGroup'),
    ],
    [
      'a bad group',
      'ROLE_BINDING_FORM',
      { roleRef: toClusterRole({ apiGroup: 'x' }) },
      unsupported('roleRef.apiGroup'),
    ],
    ['the group by default', 'ROLE_BINDING_FORM', { roleRef: toRole({ apiGroup: '' }) }, []],
    ['a bad kind', 'CLUSTER_ROLE_BINDING_FORM', { roleRef: toRole({ kind: 'Type' }) }, unsupported('roleRef.kind')],
    ['a bad kind', 'ROLE_BINDING_FORM', { roleRef: toRole({ kind: 'Type' }) }, unsupported('roleRef.kind')],
    ['a Role', 'CLUSTER_ROLE_BINDING_FORM', { roleRef: toRole({}) }, unsupported('roleRef.kind')],
    ['no name', 'CLUSTER_ROLE_BINDING_FORM', { metadata: {}, roleRef: toClusterRole({}) }, missing('metadata.name')],
    ['no name', 'ROLE_BINDING_FORM', { metadata: {}, roleRef: toRole({}) }, missing('metadata.name')],
    [
      'no name of the role',
      'CLUSTER_ROLE_BINDING_FORM',
      { roleRef: toClusterRole({ name: '' }) },
      missing('roleRef.name'),
    ],
    ['no name of the role', 'ROLE_BINDING_FORM', { roleRef: toRole({ name: undefined }) }, missing('roleRef.name')],
    [
      'a bad name of the role',
      'ROLE_BINDING_FORM',
      { roleRef: toRole({ name: 'a/b' }) },
      ['FieldValueInvalid roleRef.name'],
    ],
    ['no role', 'ROLE_BINDING_FORM', {}, [...unsupported('roleRef.kind'), ...missing('roleRef.name')]],
    [
      'a subject without kind',
      'CLUSTER_ROLE_BINDING_FORM',
      { roleRef: toClusterRole({}), subjects: [{ name: 'subject' }] },
      unsupported('subjects[0].kind'),
    ],
    [
      'a subject without kind',
      'ROLE_BINDING_FORM',
      { roleRef: toRole({}), subjects: [{ name: 'subject' }] },
      unsupported('subjects[0].kind'),
    ],
    [
      'a bad ServiceAccount',
      'CLUSTER_ROLE_BINDING_FORM',
      { roleRef: toClusterRole({}), subjects: [{ namespace: 'foo', name: 'subject:bad', kind: 'ServiceAccount' }] },
      ['FieldValueInvalid subjects[0].name'],
    ],
    [
      'a bad ServiceAccount',
      'ROLE_BINDING_FORM',
      { roleRef: toRole({}), subjects: [{ name: 'subject:bad', kind: 'ServiceAccount' }] },
      ['FieldValueInvalid subjects[0].name'],
    ],
    [
      'a ServiceAccount without namespace',
      'CLUSTER_ROLE_BINDING_FORM',
      { roleRef: toClusterRole({}), subjects: [{ name: 'good', kind: 'ServiceAccount' }] },
      missing('subjects[0].namespace'),
    ],
    [
      'a ServiceAccount without name',
      'CLUSTER_ROLE_BINDING_FORM',
      { roleRef: toClusterRole({}), subjects: [{ namespace: 'foo', kind: 'ServiceAccount' }] },
      missing('subjects[0].name'),
    ],
    [
      'a ServiceAccount without name',
      'ROLE_BINDING_FORM',
      { roleRef: toRole({}), subjects: [{ kind: 'ServiceAccount' }] },
      missing('subjects[0].name'),
    ],
    [
      'subjects of other groups',
      'ROLE_BINDING_FORM',
      {
        roleRef: toRole({}),
        subjects: [
          { name: 'a', kind: 'ServiceAccount', apiGroup: GROUP },
          { name: 'b', kind: 'User', apiGroup: 'x' },
          { name: 'c', kind: 'Group', apiGroup: 'x' },
        ],
      },
      [0, 1, 2].flatMap((i) => unsupported(`subjects[${i}].apiGroup`)),
    ],
    [
      'users and groups without names',
      'ROLE_BINDING_FORM',
      { roleRef: toRole({}), subjects: [{ kind: 'User' }, { kind: 'Group', name: '' }] },
      [...missing('subjects[0].name'), ...missing('subjects[1].name')],
    ],
  ])('%s (%s)', (_, form, document, faults) => {
    expect(faultsOf(FORMS[form] as PlainForm<PlainShape>, { ...NAMED, ...document })).toEqual(faults);
  });

  test('gets the groups of its role and its subjects', () => {
    const subjects = [
      { kind: 'User', name: 'ann' },
      { kind: 'Group', name: 'ops' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'team', apiGroup: '' },
    ];
    const found = admitted(ROLE_BINDING_FORM, { ...NAMED, roleRef: { kind: 'Role', name: 'r' }, subjects });
    expect(found.kind === 'ok' && found.manifest.content).toEqual({
      roleRef: { apiGroup: GROUP, kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', apiGroup: GROUP, name: 'ann' },
        { kind: 'Group', apiGroup: GROUP, name: 'ops' },
        { kind: 'ServiceAccount', name: 'bot', namespace: 'team' },
      ],
    });
  });

  test.each([ROLE_BINDING_FORM, CLUSTER_ROLE_BINDING_FORM])(
    'of $kind keeps its role, and may change its subjects',
    (form) => {
      const old = { ...NAMED, roleRef: toClusterRole({}) };
      const found = admitted(form, old);
      if (found.kind !== 'ok') throw new Error('not admitted');
      const changed = (document: object) =>
        admitPlainUpdate(form, { manifest: found.manifest, uid: 'u' }, document, { fieldValidation: 'Strict' });
      expect(changed(old)).toMatchObject({ kind: 'ok', changed: 'nothing' });
      // The group of a role is its default.
      expect(changed({ ...NAMED, roleRef: { kind: 'ClusterRole', name: 'valid' } })).toMatchObject({
        changed: 'nothing',
      });
      expect(changed({ ...old, subjects: [{ kind: 'User', name: 'ann' }] })).toMatchObject({
        kind: 'ok',
        changed: 'spec',
      });
      expect(changed({ ...old, metadata: { name: 'default', labels: { a: 'b' } } })).toMatchObject({
        changed: 'metadata',
      });
      const other = changed({ ...NAMED, roleRef: toClusterRole({ name: 'changed' }) });
      expect(other.kind === 'invalid' && other.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`)).toEqual([
        `roleRef: Invalid value: {"apiGroup":"${GROUP}","kind":"ClusterRole","name":"changed"}: cannot change roleRef`,
      ]);
    },
  );
});

describe('names', () => {
  test.each(['a', 'A.b_c', 'system:view', 'a b', 'ü@x', '...', 'a!#"~', 'x'.repeat(512)])('of roles: %s', (name) => {
    expect(faultsOf(ROLE_FORM, { metadata: { name } })).toEqual([]);
    expect(faultsOf(CLUSTER_ROLE_FORM, { metadata: { name } })).toEqual([]);
  });

  test.each([
    ['.', "may not be '.'"],
    ['..', "may not be '..'"],
    ['a/b', "may not contain '/'"],
    ['50%', "may not contain '%'"],
    ['a\nb', 'may not contain control characters or halves of characters'],
    ['a\ud800', 'may not contain control characters or halves of characters'],
    ['ü'.repeat(257), 'must be no more than 512 bytes'],
  ])('not of roles: %j', (name, why) => {
    for (const form of [ROLE_FORM, CLUSTER_ROLE_FORM])
      expect(wordsOf(form, { metadata: { name } })).toEqual([expect.stringContaining(why)]);
  });

  test('are generated from a prefix', () => {
    expect(admitted(ROLE_FORM, { metadata: { generateName: 'Team:' } })).toMatchObject({
      manifest: { metadata: { name: 'Team:abcde', generateName: 'Team:' } },
    });
    expect(faultsOf(ROLE_FORM, { metadata: { generateName: 'a/' } })).toContain(
      'FieldValueInvalid metadata.generateName',
    );
  });

  test('of ServiceAccounts are those of DNS', () => {
    expect(faultsOf(SERVICE_ACCOUNT_FORM, { metadata: { name: 'bot.v2' } })).toEqual([]);
    expect(faultsOf(SERVICE_ACCOUNT_FORM, { metadata: { name: 'Bot:x' } })).toEqual([
      'FieldValueInvalid metadata.name',
    ]);
  });
});

describe('metadata', () => {
  test('of what is in no namespace loses the one that is named', () => {
    const found = admitted(CLUSTER_ROLE_FORM, { metadata: { name: 'x', namespace: 'team' } });
    expect(found.kind === 'ok' && found.manifest.metadata).toEqual({ name: 'x' });
    expect(admitted(ROLE_FORM, { metadata: { name: 'x', namespace: 'team' } }).kind).toBe('undecodable');
  });

  test.each(Object.values(FORMS))('of a $resource.kind has no finalizers', (form) => {
    const document = { metadata: { name: 'x', finalizers: ['a.b/c'] }, roleRef: toClusterRole({}) };
    const known = form.resource.kind.endsWith('Binding') ? document : { metadata: document.metadata };
    expect(faultsOf(form as PlainForm<PlainShape>, known)).toEqual(['FieldValueForbidden metadata.finalizers']);
  });

  test('unknown fields are refused', () => {
    expect(admitted(ROLE_FORM, { ...NAMED, rule: [] }).kind).toBe('undecodable');
  });
});

test('a ServiceAccount has no secrets, and says whether tokens are mounted', () => {
  expect(
    faultsOf(SERVICE_ACCOUNT_FORM, { ...NAMED, secrets: [{ name: 'x' }], imagePullSecrets: [{ name: 'y' }] }),
  ).toEqual(['FieldValueForbidden secrets', 'FieldValueForbidden imagePullSecrets']);
  const found = admitted(SERVICE_ACCOUNT_FORM, { ...NAMED, secrets: [], automountServiceAccountToken: false });
  expect(found.kind === 'ok' && found.manifest.content).toEqual({ automountServiceAccountToken: false });
});

describe('how much a role lists', () => {
  const listOf = (text: string, count: number) => Array.from({ length: count }, (_, i) => text + i);
  const role = (verbs: number, resources: number, names: number) => ({
    ...NAMED,
    rules: [
      {
        verbs: listOf('v', verbs),
        apiGroups: [''],
        resources: listOf('r', resources),
        resourceNames: listOf('n', names),
      },
    ],
  });

  test('is bounded by the rights that its rules multiply to', () => {
    expect(wordsOf(ROLE_FORM, role(10, 10, 100))).toEqual([]);
    expect(wordsOf(ROLE_FORM, role(10, 10, 101))).toEqual(['rules: Too many: 10100: must have at most 10000 rights']);
    expect(wordsOf(CLUSTER_ROLE_FORM, { ...NAMED, rules: Array.from({ length: 10_001 }, () => ({})) }).at(-1)).toBe(
      'rules: Too many: 10001: must have at most 10000 rights',
    );
  });

  test('is bounded by the length of each text', () => {
    const rule = (text: string) => ({ ...NAMED, rules: [{ verbs: ['get'], ...PODS, resourceNames: ['x', text] }] });
    expect(wordsOf(ROLE_FORM, rule('x'.repeat(512)))).toEqual([]);
    expect(wordsOf(ROLE_FORM, rule('x'.repeat(513)))).toEqual([
      'rules[0].resourceNames[1]: Too long: may not be more than 512 bytes',
    ]);
  });
});
