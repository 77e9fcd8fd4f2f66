import { CONFIG_UID_LABEL } from '../../../shared/capabilities/furiko/domain/furiko-labels.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { ALICE, BOB, KINDS, type Tenant, documentsOf } from './two-tenants.ts';
import { WORK_LIST_NAMING } from '../../../shared/capabilities/worklists/annotations/index.ts';

const WORK_LIST = WORK_LIST_NAMING.workList.key;

// What Alice can do in her own namespace that names Bob's things: a kind of object, a means to name them, and a verb.

/** Names and uids of what she names: Bob's, or nobody's; by the last word of a name. */
export type Named = { readonly name: (word: string) => string; readonly uid: (word: string) => string };
type Metadata = Readonly<Record<string, unknown>>;
type Means = { readonly of: string; readonly metadata: (named: Named) => Metadata };

const WORDS = { job: 'Job', cron: 'CronJob', run: 'Job', config: 'JobConfig', list: 'WorkList', service: 'Service' };
const OWNERS = KINDS.flatMap(([group, , word]): readonly Means[] => {
  const own = { apiVersion: group.replace(/^\/apis?\//, ''), kind: WORDS[word] };
  const owner = (as: typeof own, controller: boolean): Means => ({
    of: `owner ${word} as ${as.kind} ${as.apiVersion}, ${controller ? 'its controller' : 'one of several'}`,
    metadata: ({ name, uid }) => ({ ownerReferences: [{ ...as, name: name(word), uid: uid(word), controller }] }),
  });
  return [owner(own, true), owner(own, false), owner({ apiVersion: 'batch/v1', kind: 'CronJob' }, true)];
});
const noted = (key: string, value: (named: Named) => string, of = key): Means => ({
  of,
  metadata: (named) => ({ annotations: { [key]: value(named) } }),
});
const MEANS: readonly Means[] = [
  ...OWNERS,
  {
    of: 'owner and label',
    metadata: ({ name, uid }) => ({
      labels: { [CONFIG_UID_LABEL]: uid('config') },
      ownerReferences: [
        {
          apiVersion: 'execution.furiko.io/v1alpha1',
          kind: 'JobConfig',
          name: name('config'),
          uid: uid('config'),
          controller: true,
        },
      ],
    }),
  },
  noted(WORK_LIST, ({ name }) => name('list')),
  noted(ANNOTATIONS.after, ({ name }) => name('job')),
  noted(ANNOTATIONS.after, ({ name }) => `${BOB.namespace}/${name('job')}`, 'after, with a namespace'),
  noted(ANNOTATIONS.afterIndexes, ({ name }) => name('job')),
  noted(ANNOTATIONS.pinnedItems, ({ uid }) => JSON.stringify({ content: uid('list') })),
  {
    of: 'a rerun',
    metadata: ({ name }) => ({
      annotations: { [ANNOTATIONS.rerunOf]: name('items'), [WORK_LIST]: name('list') },
    }),
  },
  {
    of: 'labels',
    metadata: ({ name, uid }) => ({
      labels: {
        'batch.kubernetes.io/controller-uid': uid('job'),
        'batch.kubernetes.io/job-name': name('job'),
        'muster.run/submitted-from': name('cron'),
        [CONFIG_UID_LABEL]: uid('config'),
      },
    }),
  },
  { of: 'its uid', metadata: ({ uid }) => ({ uid: uid('job') }) },
  ...['job', 'cron', 'config', 'list', 'items'].map(
    (word): Means => ({ of: `its name, ${word}`, metadata: ({ name }) => ({ name: name(word) }) }),
  ),
  { of: 'its namespace', metadata: () => ({ namespace: BOB.namespace }) },
];

export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
};
/** Requests, one after the other; `nth` makes the names of what they make. */
type Act = { readonly of: string; readonly requests: (named: Named, nth: number) => readonly Sent[] };

type Written = { readonly path: string; readonly body: { readonly metadata: Metadata & { readonly name: string } } };
type Document = Written['body'] & { readonly spec: Readonly<Record<string, unknown>> };

/** An object of hers with this metadata, or that makes objects with it. */
type Target = (hers: Tenant, more: Metadata) => Written;

const documentIn = (hers: Tenant, kind: number): Document => documentsOf(hers)[kind] as Document;
const place = (kind: number): string => `${KINDS[kind]?.[0]}/namespaces/${ALICE.namespace}/${KINDS[kind]?.[1]}`;
/** What a template may have. */
const ofMade = ({ annotations, labels }: Metadata): Metadata => ({
  ...(annotations === undefined ? {} : { annotations }),
  ...(labels === undefined ? {} : { labels }),
});
const TARGETS: readonly (readonly [of: string, Target])[] = [
  ...KINDS.map(([, , word], kind): readonly [string, Target] => [
    word,
    (hers, more) => {
      const document = documentIn(hers, kind);
      return { path: place(kind), body: { ...document, metadata: { ...document.metadata, ...more } } };
    },
  ]),
  [
    'jobTemplate',
    (hers, more) => {
      const cron = documentIn(hers, 1);
      const { ownerReferences } = more;
      const metadata = { ...ofMade(more), ...(ownerReferences === undefined ? {} : { ownerReferences }) };
      const jobTemplate = { ...(cron.spec['jobTemplate'] as object), metadata };
      return {
        path: place(1),
        body: { ...cron, spec: { ...cron.spec, jobTemplate, schedule: '* * * * *' } } as Document,
      };
    },
  ],
  [
    'template of a JobConfig',
    (hers, more) => {
      const config = documentIn(hers, 3);
      const template = { ...(config.spec['template'] as object), metadata: ofMade(more) };
      return { path: place(3), body: { ...config, spec: { ...config.spec, template } } };
    },
  ],
];

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const VERBS: readonly (readonly [verb: string, (plain: Written, marked: Written, named: Named) => readonly Sent[]])[] =
  [
    ['create', (_, { path, body }) => [{ method: 'POST', path, body }]],
    [
      'update',
      (plain, { path, body }) => [
        { method: 'POST', path, body: plain.body },
        { method: 'PUT', path: `${path}/${plain.body.metadata.name}`, body },
      ],
    ],
    [
      'patch',
      (plain, { path, body }) => [
        { method: 'POST', path, body: plain.body },
        { method: 'PATCH', path: `${path}/${plain.body.metadata.name}`, body, type: MERGE },
      ],
    ],
    [
      'apply',
      (_, { path, body }) => [
        { method: 'PATCH', path: `${path}/${body.metadata.name}?fieldManager=alice`, body, type: APPLY },
      ],
    ],
    [
      'delete',
      (_, { path, body }, { uid }) => {
        const at = `${path}/${body.metadata.name}`;
        const one = { method: 'DELETE', path: at, body: { preconditions: { uid: uid('job') } } };
        return [{ method: 'POST', path, body }, one, { ...one, body: { propagationPolicy: 'Foreground' } }];
      },
    ],
  ];

const WRITES = TARGETS.flatMap(([target, written]) =>
  MEANS.flatMap((means) =>
    VERBS.map(
      ([verb, requests]): Act => ({
        of: `${verb} ${target} by ${means.of}`,
        requests: (named, nth) => {
          const hers = { ...ALICE, prefix: `${ALICE.prefix}x${nth}` };
          return requests(written(hers, {}), written(hers, means.metadata(named)), named);
        },
      }),
    ),
  ),
);

export const SUBMISSIONS = '/muster/v1/submissions';
const submitted = (of: string, message: (named: Named, nth: number) => object): Act => ({
  of: `submit ${of}`,
  requests: (named, nth) => [{ method: 'POST', path: SUBMISSIONS, body: { id: String(nth), ...message(named, nth) } }],
});
const { namespace } = ALICE;
const MESSAGES: readonly Act[] = [
  ...MEANS.map((means) =>
    submitted(`a Job by ${means.of}`, (named, nth) => {
      const { body } = TARGETS[0]?.[1]({ ...ALICE, prefix: `${ALICE.prefix}x${nth}` }, means.metadata(named)) ?? {};
      return { namespace, manifest: body };
    }),
  ),
  submitted('from a CronJob', ({ name }) => ({ from: { kind: 'CronJob', name: name('cron'), namespace } })),
  submitted('from a Job', ({ name }) => ({ from: { kind: 'Job', name: name('job'), namespace } })),
  submitted('from her CronJob, with a list', ({ name }) => ({
    from: { kind: 'CronJob', name: 'nna-cron', namespace },
    items: name('list'),
  })),
  submitted('from a CronJob of another namespace', ({ name }) => ({
    from: { kind: 'CronJob', name: name('cron'), namespace: BOB.namespace },
  })),
];

const RUNS: Act = {
  of: 'create a Job of a JobConfig',
  requests: ({ name }, nth) => {
    const run = documentIn({ ...ALICE, prefix: `${ALICE.prefix}x${nth}` }, 2);
    return [{ method: 'POST', path: place(2), body: { ...run, spec: { configName: name('config') } } }];
  },
};

const SELECTORS: readonly ((named: Named) => string)[] = [
  ({ uid }) => `labelSelector=batch.kubernetes.io/controller-uid%3D${uid('job')}`,
  ({ name }) => `labelSelector=batch.kubernetes.io/job-name%3D${name('job')}`,
  ({ name }) => `fieldSelector=metadata.name%3D${name('job')}`,
  () => `fieldSelector=metadata.namespace%3D${BOB.namespace}`,
];
const OF_EVENTS: readonly ((named: Named) => string)[] = [
  ({ uid }) => `fieldSelector=involvedObject.uid%3D${uid('cron')}`,
  ({ name }) => `fieldSelector=involvedObject.name%3D${name('cron')}`,
  () => `fieldSelector=involvedObject.namespace%3D${BOB.namespace}`,
];
const IN_HERS = `/api/v1/namespaces/${namespace}`;
const selected = (path: string, selectors: typeof SELECTORS): readonly Act[] =>
  selectors.flatMap((selector, i) =>
    (['list', 'watch', 'deletecollection'] as const).map(
      (verb): Act => ({
        of: `${verb} ${path} ${i}`,
        requests: (named) => [
          {
            method: verb === 'deletecollection' ? 'DELETE' : 'GET',
            path: `${path}?${selector(named)}${verb === 'watch' ? '&watch=1&timeoutSeconds=1' : ''}`,
          },
        ],
      }),
    ),
  );

const OF_JOBS = [
  'waits',
  'failures',
  'progress',
  'attempts',
  'items?hash=a',
  'diagnosis',
  'grid',
  'durations',
  'timeline',
];
const READS: readonly Act[] = [
  ...KINDS.flatMap((_, kind) => selected(place(kind), SELECTORS)),
  ...selected(`${IN_HERS}/pods`, SELECTORS),
  ...selected(`${IN_HERS}/events`, [...SELECTORS, ...OF_EVENTS]),
  ...KINDS.flatMap(([, , word], kind) =>
    ['GET', 'DELETE'].map(
      (method): Act => ({
        of: `${method} ${word} by name`,
        requests: ({ name }) => [{ method, path: `${place(kind)}/${name(word)}` }],
      }),
    ),
  ),
  ...OF_JOBS.map(
    (part): Act => ({
      of: `get jobs/${part}`,
      requests: ({ name }) => [
        { method: 'GET', path: `/muster/v1/namespaces/${namespace}/jobs/${name('job')}/${part}` },
      ],
    }),
  ),
  {
    of: 'change indexes',
    requests: ({ name }) => [
      {
        method: 'POST',
        path: `/muster/v1/namespaces/${namespace}/jobs/${name('job')}/indexes`,
        body: { action: 'hold', indexes: '0' },
      },
    ],
  },
  {
    of: 'add to a list',
    requests: ({ name }) => [
      { method: 'POST', path: `${place(4)}/${name('list')}/parts/0`, body: { items: [['x']] } },
      { method: 'POST', path: `${place(4)}/${name('list')}/seal`, body: {} },
    ],
  },
];

/** Everything that she tries, by what it is. */
export const ACTS: ReadonlyMap<string, Act['requests']> = new Map(
  [...WRITES, ...MESSAGES, RUNS, ...READS].map(({ of, requests }) => [of, requests]),
);
