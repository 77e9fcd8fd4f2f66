import { NASTY_JOBS } from './nasty-jobs.ts';
import {
  type NastyRequest,
  BATCH,
  CORE,
  MAIN,
  MUSTER,
  RBAC,
  config,
  mapOf,
  named,
  other,
  patch,
  role,
  times,
} from './request-forms.ts';
import { isThere } from '../../support/kinds-there.ts';

/** They stop no server: each is answered at once, briefly, whatever the answer is. */
export const NASTY_REQUESTS: readonly NastyRequest[] = [
  ...NASTY_JOBS,

  config('8,000 expressions', {
    schedule: { cron: { expressions: times(8_000, (i) => `${i % 60} ${Math.floor(i / 60) % 24} * * *`) } },
  }),
  config('8,000 expressions that never come', {
    schedule: { cron: { expressions: times(8_000, () => '0 0 30 2 *') } },
  }),
  config('4,000 options', { option: { options: times(4_000, (i) => ({ type: 'String', name: `o${i}` })) } }),
  config('4,000 options of a name', { option: { options: times(4_000, () => ({ type: 'String', name: 'o' })) } }),
  config('an option of 20,000 values', {
    option: { options: [{ type: 'Select', name: 'o', select: { values: named('v', 20_000) } }] },
  }),
  config('an option of many values twice', {
    option: {
      options: [
        {
          type: 'Multi',
          name: 'o',
          multi: { delimiter: ',', values: times(50_000, () => 'v'), default: times(10_000, () => 'v') },
        },
      ],
    },
  }),
  config('25,000 keys', {}, { parallelism: { withKeys: named('k', 25_000) } }),
  config('keys that are one', {}, { parallelism: { withKeys: times(60_000, () => 'k') } }),
  config('a matrix of 10^20 cells', {}, { parallelism: { withMatrix: mapOf(named('n', 20), named('v', 10)) } }),
  config('a matrix of 8,000 names', {}, { parallelism: { withMatrix: mapOf(named('n', 8_000), ['a']) } }),
  config(
    'as many cells as it may have',
    {},
    { parallelism: { withMatrix: { a: named('v', 300), b: named('v', 300) } } },
  ),
  config(
    '15,000 template variables',
    {},
    {
      taskTemplate: { pod: { spec: { containers: [{ ...MAIN, command: ['echo', '${option.a}'.repeat(15_000)] }] } } },
    },
  ),

  role('n^3 rights', [{ verbs: named('v', 250), apiGroups: named('g', 250), resources: named('r', 250) }]),
  role(
    '4,000 rules',
    times(4_000, (i) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] })),
  ),
  role(
    '60,000 empty rules',
    times(60_000, () => ({})),
  ),
  other('RoleBinding', '2,500 subjects', `${RBAC}/rolebindings`, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: times(2_500, (i) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `u${i}` })),
  }),
  other('RoleBinding', '60,000 empty subjects', `${RBAC}/rolebindings`, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: times(60_000, () => ({})),
  }),
  other('Service', '4,000 ports', `${CORE}/services`, {
    spec: {
      clusterIP: 'None',
      selector: mapOf(named('k', 5_000), 'v'),
      ports: times(4_000, (i) => ({ name: `p${i}`, port: i + 1 })),
    },
  }),
  other('ServiceAccount', '8,000 secrets', `${CORE}/serviceaccounts`, {
    secrets: times(8_000, (i) => ({ name: `s${i}` })),
  }),
  other('Namespace', '12,000 labels', '/api/v1/namespaces', {
    metadata: { name: 'nasty', labels: mapOf(named('l', 12_000), '') },
  }),

  patch('copies that double', 'json-patch', [
    { op: 'add', path: '/metadata/annotations', value: { a: 'x'.repeat(1_000) } },
    ...times(2_000, (i) => ({ op: 'copy', from: '/metadata/annotations', path: `/metadata/annotations/c${i}` })),
  ]),
  patch(
    '4,000 tests',
    'json-patch',
    times(4_000, () => ({ op: 'test', path: '/metadata/name', value: 'sums' })),
  ),
  patch('2,000 removals', 'json-patch', [
    { op: 'add', path: '/spec/template/spec/containers/0/command', value: times(20_000, () => 'x') },
    ...times(2_000, () => ({ op: 'remove', path: '/spec/template/spec/containers/0/command/0' })),
  ]),
  patch(
    '3,000 insertions',
    'json-patch',
    times(3_000, () => ({ op: 'add', path: '/spec/template/spec/containers/0', value: {} })),
  ),
  patch('12,000 annotations', 'merge-patch', { metadata: { annotations: mapOf(named('a', 12_000), '') } }),
  patch('12,000 annotations that merge', 'strategic-merge-patch', {
    metadata: { annotations: mapOf(named('a', 12_000), '') },
  }),
  patch('5,000 containers that merge', 'strategic-merge-patch', {
    spec: { template: { spec: { containers: times(5_000, (i) => ({ name: `c${i}`, image: 'x' })) } } },
  }),
  patch('an order of 12,000 containers', 'strategic-merge-patch', {
    spec: { template: { spec: { '$setElementOrder/containers': times(12_000, (i) => ({ name: `c${i}` })) } } },
  }),
  patch(
    '12,000 annotations that are applied',
    'apply-patch',
    { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'sums', annotations: mapOf(named('a', 12_000), '') } },
    `${BATCH}/jobs/sums`,
  ),
  patch(
    '5,000 containers that are applied',
    'apply-patch',
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'sums' },
      spec: { template: { spec: { containers: times(5_000, (i) => ({ name: `c${i}`, image: 'x' })) } } },
    },
    `${BATCH}/jobs/sums`,
  ),
  patch(
    'containers of one name that are applied',
    'apply-patch',
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'sums' },
      spec: { template: { spec: { containers: times(8_000, () => ({ name: 'c', image: 'x' })) } } },
    },
    `${BATCH}/jobs/sums`,
  ),

  {
    what: 'an index request of 40,000 ranges',
    path: '/muster/v1/namespaces/default/jobs/sums/indexes',
    body: { action: 'hold', indexes: times(40_000, (i) => i * 2).join() },
  },
  {
    what: 'a submission of 12,000 columns',
    path: '/muster/v1/submissions',
    body: { from: { kind: 'Job', name: 'sums' }, items: [mapOf(named('c', 12_000), 0)] },
  },
  {
    what: 'a submission of 20,000 unknown fields',
    path: '/muster/v1/submissions',
    body: { from: { kind: 'Job', name: 'sums' }, ...mapOf(named('c', 20_000), 0) },
  },
  {
    what: 'a submission of 12,000 bad values',
    path: '/muster/v1/submissions',
    body: { from: { kind: 'Job', name: 'sums' }, env: mapOf(named('c', 12_000), null) },
  },
  {
    what: 'a part of 60,000 bad items',
    path: `${MUSTER}/worklists/open/parts/0`,
    body: { items: times(60_000, () => 1) },
  },
  { what: 'a part of a high number', path: `${MUSTER}/worklists/open/parts/9999999`, body: { items: [['x']] } },
  {
    what: 'a selector of 3,000 expressions',
    method: 'GET',
    path: `${BATCH}/jobs?labelSelector=${named('k', 3_000).join()}`,
  },
  {
    what: 'a deletion by a selector of 3,000 values',
    method: 'DELETE',
    path: `${BATCH}/jobs?labelSelector=${encodeURIComponent(`a in (${named('v', 3_000).join()})`)}`,
  },
  {
    what: 'YAML of 15,000 keys',
    path: `${BATCH}/jobs`,
    type: 'application/yaml',
    body: `metadata:\n  annotations:\n${named('    a', 15_000)
      .map((name) => `${name}: x\n`)
      .join('')}`,
  },
  {
    what: 'YAML of 10,000 aliases',
    path: `${BATCH}/jobs`,
    type: 'application/yaml',
    body: times(9_000, (i) => `a${i}: &a${i} [${i === 0 ? '' : `*a${i - 1}`}]\n`).join(''),
  },
  {
    what: 'YAML of keys in keys',
    path: `${BATCH}/jobs`,
    type: 'application/yaml',
    body: `${'? '.repeat(90)}[${'"a",'.repeat(40_000)}]`,
  },
  { what: 'YAML that is a key', path: `${BATCH}/jobs`, type: 'application/yaml', body: '? '.repeat(90) + '[a, b]' },
  { what: 'YAML of brackets', path: `${BATCH}/jobs`, type: 'application/yaml', body: '['.repeat(100_000) },
  { what: 'JSON of brackets', path: `${BATCH}/jobs`, body: '['.repeat(200_000) },
  { what: 'JSON of numbers', path: `${BATCH}/jobs`, body: `[${times(60_000, () => '1.0').join()}]` },
];

/** What some of them need. */
export const PREPARED: readonly { readonly path: string; readonly body: object }[] = isThere('WorkList')
  ? [{ path: `${MUSTER}/worklists`, body: { metadata: { name: 'open' }, spec: { itemsPerPart: 1_000 } } }]
  : [];

/** The text that is sent. */
export const bodyOf = ({ body }: NastyRequest): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
