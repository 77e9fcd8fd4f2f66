import { type NastyRequest, MAIN, annotated, job, list, main, mapOf, named, times } from './request-forms.ts';

const LETTERS = 'abcdefghijklm'.split('');
/** Each set of letters fixes other names. */
const subsets = (count: number): readonly object[] =>
  times(count, (i) =>
    mapOf(
      LETTERS.filter((_, bit) => ((i + 1) >> bit) % 2 === 1),
      '0',
    ),
  );

/** Lists and Jobs: the largest documents of the API. */
export const NASTY_JOBS: readonly NastyRequest[] = [
  list('a million combinations and a thousand rules', {
    matrix: { a: named('v', 1_000), b: named('x', 1_000) },
    exclude: times(1_000, () => ({ a: 'v1', b: 'x0' })),
  }),
  list('two thousand rules of two names', {
    matrix: { a: named('v', 300), b: named('x', 300) },
    exclude: times(2_000, (i) => ({ a: `v${i % 300}`, b: 'x0' })),
  }),
  list('rules about all sets of names', { matrix: mapOf(LETTERS, ['0', '1']), exclude: subsets(4_000) }),
  list('rows about all sets of names', { matrix: mapOf(LETTERS, ['0', '1']), include: subsets(4_000) }),
  list('rules about unknown names', {
    matrix: { a: ['1'] },
    exclude: named('c', 12_000).map((name) => ({ [name]: '0' })),
  }),
  list('a million numbers', { range: '0-999999' }),
  list('as many numbers as it may have', { range: '0-99999' }),
  list('a range of 60,000 parts', { range: times(60_000, (i) => i % 10).join() }),
  list('16 MiB and more', { matrix: { a: named('v', 300), b: times(40, (i) => `${i}${'y'.repeat(5_000)}`) } }),
  list('24,000 columns', { columns: named('c', 24_000), items: [['x']] }),
  list('12,000 columns of a matrix', { matrix: mapOf(named('c', 12_000), ['0']) }),
  list('12,000 columns that are included', { matrix: { a: ['1'] }, include: [mapOf(named('c', 12_000), '0')] }),
  list('12,000 columns of JSON', { format: 'jsonl', text: JSON.stringify(mapOf(named('c', 12_000), '0')) }),
  list('30,000 columns of CSV', { format: 'csv', header: true, text: `${named('c', 30_000).join()}\n` }),
  list('a broken quote behind 40,000 values', { format: 'csv', header: true, text: `${'"",'.repeat(40_000)}"x"y` }),
  list('80,000 items without a value', { items: times(80_000, () => []) }),
  list('80,000 items that are none', { items: times(80_000, () => 1) }),
  list('20,000 unknown fields', mapOf(named('c', 20_000), '')),

  annotated('30,000 columns', { 'muster.run/items': `${named('c', 30_000).join(' ')}\n` }),
  annotated('faults in 40,000 lines of items', { 'muster.run/items': `A B\n${'x\n'.repeat(40_000)}` }),
  annotated('items of 256 columns in batches', {
    'muster.run/batch': '1000',
    'muster.run/items': [named('c', 256), ...times(100, () => named('v', 256))].map((row) => row.join('\t')).join('\n'),
  }),
  annotated('6,000 names of a matrix', {
    'muster.run/matrix': JSON.stringify({ values: named('n', 6_000).map((name) => ({ name, values: ['0'] })) }),
  }),
  annotated('65,536 images', {
    'muster.run/matrix': JSON.stringify({
      values: named('n', 16).map((name) => ({ name, values: ['a', 'aa'] })),
      image: named('n', 16)
        .map((name) => `$(${name})`)
        .join(''),
    }),
  }),
  annotated('a long image', {
    'muster.run/matrix': JSON.stringify({
      values: [{ name: 'n', values: named('', 20) }],
      image: '$(n)'.repeat(50_000),
    }),
  }),
  annotated('a value of a matrix 40,000 times', {
    'muster.run/matrix': JSON.stringify({ values: [{ name: 'n', values: times(40_000, () => 'x') }] }),
  }),
  annotated(
    '40,000 ranges of indexes',
    { 'muster.run/indexes': times(40_000, (i) => i * 2).join() },
    { completionMode: 'Indexed', completions: 1_000_000, parallelism: 1 },
  ),
  annotated('15,000 Jobs that it waits for', { 'muster.run/after': JSON.stringify(named('job-', 15_000)) }),
  annotated('20,000 Jobs that it waits for, in words', { 'muster.run/after': named('job-', 20_000).join() }),
  annotated(
    'indexes that wait for 20,000 Jobs',
    { 'muster.run/after-indexes': named('job-', 20_000).join() },
    { completionMode: 'Indexed', completions: 4 },
  ),
  annotated('a long token', { 'muster.run/task-token': 'x'.repeat(200_000) }),
  annotated('12,000 annotations', mapOf(named('a', 12_000), '')),
  annotated('12,000 annotations of bad names', mapOf(named('!', 12_000), '')),
  job('12,000 labels of bad names', {}, { meta: { labels: mapOf(named('!', 12_000), '!') } }),
  job(
    '2,000 owners',
    {},
    { meta: { ownerReferences: times(2_000, (i) => ({ apiVersion: 'v1', kind: 'X', name: `o${i}`, uid: `u${i}` })) } },
  ),
  job('20,000 finalizers', {}, { meta: { finalizers: named('a/f', 20_000) } }),
  job('60,000 faults of type', {}, { meta: { finalizers: times(60_000, () => 1) } }),
  job('20,000 unknown fields', mapOf(named('f', 20_000), 0)),
  job('4,000 containers', {
    containers: times(4_000, (i) => ({ name: `c${i}`, image: 'busybox', command: ['true'] })),
  }),
  job('4,000 containers of a name', {
    containers: times(4_000, () => ({ name: 'c', image: 'busybox', command: ['true'] })),
  }),
  job('60,000 empty containers', { containers: times(60_000, () => ({})) }),
  job('2,500 init containers', {
    initContainers: times(2_500, (i) => ({
      name: `c${i}`,
      image: 'busybox',
      restartPolicy: 'Always',
      command: ['true'],
    })),
  }),
  job('8,000 volumes', { volumes: times(8_000, (i) => ({ name: `v${i}`, emptyDir: {} })) }),
  job('60,000 empty volumes', { volumes: times(60_000, () => ({})) }),
  job('3,000 volumes that are mounted', {
    volumes: times(3_000, (i) => ({ name: `v${i}`, emptyDir: {} })),
    containers: [{ ...MAIN, volumeMounts: times(3_000, (i) => ({ name: `v${i}`, mountPath: `/v${i}` })) }],
  }),
  job('8,000 pull secrets', { imagePullSecrets: times(8_000, (i) => ({ name: `s${i}` })) }),
  job('5,000 tolerations', { tolerations: times(5_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  job('6,000 host aliases', { hostAliases: times(6_000, () => ({ ip: '127.0.0.1', hostnames: ['a'] })) }),
  main('7,000 variables', { env: times(7_000, (i) => ({ name: `V${i}`, value: 'x' })) }),
  main('7,000 variables of a name', { env: times(7_000, () => ({ name: 'V', value: 'x' })) }),
  main('variables that double', { env: times(60, (i) => ({ name: `V${i + 1}`, value: `$(V${i})$(V${i})` })) }),
  main('variables that double what is late', {
    env: [
      { name: 'V0', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ...times(15, (i) => ({ name: `V${i + 1}`, value: `$(V${i})$(V${i})` })),
    ],
  }),
  main('100,000 references that never end', { command: ['x', '$('.repeat(100_000)] }),
  main('50,000 references to nothing', { command: ['x', '$(A)'.repeat(50_000)] }),
  main('50,000 words', { command: times(50_000, () => 'x') }),
  main('6,000 ports', { ports: times(6_000, (i) => ({ containerPort: i + 1, name: `p${i}` })) }),
  main('8,000 resources', { resources: { limits: mapOf(named('example.com/r', 8_000), '1') } }),
  main('a long quantity', { resources: { limits: { cpu: '1'.repeat(200_000) } } }),
  main('a long image', { image: 'a/'.repeat(100_000) }),
  job(
    '3,000 rules of failures',
    {},
    {
      spec: {
        podFailurePolicy: {
          rules: times(3_000, () => ({ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } })),
        },
      },
    },
  ),
  job(
    '40,000 exit codes',
    {},
    {
      spec: {
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: times(40_000, (i) => i + 1) } }],
        },
      },
    },
  ),
  job(
    '80,000 exit codes that are one',
    {},
    {
      spec: {
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: times(80_000, () => 1) } }],
        },
      },
    },
  ),
  job(
    '9,000 rules of success',
    {},
    {
      spec: {
        completionMode: 'Indexed',
        completions: 10,
        successPolicy: { rules: times(9_000, () => ({ succeededCount: 1 })) },
      },
    },
  ),
  job(
    '40,000 indexes of success',
    {},
    {
      spec: {
        completionMode: 'Indexed',
        completions: 100_000,
        successPolicy: { rules: [{ succeededIndexes: times(40_000, (i) => i * 2).join() }] },
      },
    },
  ),
  job(
    'a selector of 20,000 values',
    {},
    {
      spec: {
        manualSelector: true,
        selector: { matchExpressions: [{ key: 'a', operator: 'In', values: named('v', 20_000) }] },
      },
    },
  ),
  job(
    'a selector of 4,000 expressions',
    {},
    {
      spec: {
        manualSelector: true,
        selector: { matchExpressions: times(4_000, (i) => ({ key: `k${i}`, operator: 'Exists' })) },
      },
    },
  ),
];
