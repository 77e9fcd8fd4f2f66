import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openNamespace } from '../../support/a-namespace.ts';
import { START, aWorld } from '../a-world.ts';
import { type AnyRequest, anyRequest } from './arbitrary-request.ts';

const RUNS = 125;
const REQUESTS_PER_RUN = 40;
/** A watch sleeps on the world's clock, which does not wait: seconds cause reads of the feed. */
const STREAM_MAX_SEC = 5;

type World = Awaited<ReturnType<typeof aWorld>>;
type Shown = { readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string } };

const CRONJOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const TEMPLATE = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] } };

async function populated(): Promise<World> {
  const world = await aWorld({ streamMaxSec: STREAM_MAX_SEC, openStreamsMax: 50 });
  await openNamespace(world.objects, 'team', START);
  const metadata = { labels: { team: 'x', a: 'b' } };
  for (const [namespace, name, finalizers] of [
    ['default', 'sums', []],
    ['default', 'held', ['a/b']],
    ['team', 'sums', []],
  ] as const) {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...metadata, name, finalizers },
      spec: { template: TEMPLATE },
    };
    await world.post(`/apis/batch/v1/namespaces/${namespace}/jobs`, job);
  }
  await world.commit('sums', [
    { index: 0, op: 'claim' },
    { index: 0, op: 'launched' },
    { index: 0, op: 'running' },
  ]);
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  const spec = { schedule: '0 3 * * *', jobTemplate: { spec: { template: TEMPLATE } } };
  await world.post(CRONJOBS, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { ...metadata, name: 'nightly' },
    spec,
  });
  const taskTemplate = { pod: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['true'] }] } } };
  const ofFuriko = (kind: string, name: string, given: object) => ({
    apiVersion: 'execution.furiko.io/v1alpha1',
    kind,
    metadata: { ...metadata, name },
    spec: given,
  });
  const config = { template: { spec: { taskTemplate } }, concurrency: { policy: 'Enqueue' } };
  const [jobs, configs] = ['jobs', 'jobconfigs'].map((kind) => `${FURIKO}/namespaces/default/${kind}`) as [
    string,
    string,
  ];
  const block = { parallelism: { withKeys: ['a', 'b'] }, maxAttempts: 2 };
  for (const [path, document] of [
    [configs, ofFuriko('JobConfig', 'nightly', config)],
    [jobs, ofFuriko('Job', 'run', { configName: 'nightly' })],
    [jobs, ofFuriko('Job', 'other', { template: { taskTemplate, ...block } })],
  ] as const)
    expect((await world.post(path, document)).status).toBe(201);
  return world;
}

const FURIKO = '/apis/execution.furiko.io/v1alpha1';
const LISTS = [
  '/apis/batch/v1/jobs',
  '/apis/batch/v1/cronjobs',
  `${FURIKO}/jobs`,
  `${FURIKO}/jobconfigs`,
  '/api/v1/namespaces',
  '/api/v1/pods',
];

/** All existing objects, by path, as shown. */
async function everything({ app }: World): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const list of LISTS) {
    const { items } = (await (await app.request(list)).json()) as { readonly items: readonly Shown[] };
    for (const item of items) {
      const { namespace, name } = item.metadata;
      const kind = list.slice(list.lastIndexOf('/') + 1);
      const home = list.slice(0, list.lastIndexOf('/'));
      const path = namespace === undefined ? `${list}/${name}` : `${home}/namespaces/${namespace}/${kind}/${name}`;
      all.set(path, JSON.stringify(item));
    }
  }
  return all;
}

const CHANGES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

const mayChangeAny = ({ method, path }: AnyRequest, code: number): boolean =>
  code < 300 && CHANGES.includes(method) && !/[?&]dryRun=All/.test(path);

/** A request may change its object, if its verb changes objects and it was not refused. */
function mayChange(request: AnyRequest, code: number, stray: string): boolean {
  if (!mayChangeAny(request, code)) return false;
  const { path } = request;
  const [address = ''] = decoded(path).split('?');
  const place = inBatch(address.replace(/\/$/, ''));
  const changed = inBatch(stray);
  // Objects in a deleted namespace are deleted, and so is what a Job has created.
  const [, job] = /\/jobs\/([^/]+)$/.exec(place) ?? [];
  const isItsPod = job !== undefined && changed.includes(`/pods/${job}`);
  const isBelow =
    /^\/api\/v1\/namespaces\/[^/]+$/.test(place) && changed.includes(`/namespaces/${place.split('/').at(-1)}/`);
  const isOfCollection =
    changed.startsWith(`${place}/`) || (/\/(cron)?jobs$/.test(place) && changed.includes('/pods/'));
  const isOfConfig = place.includes('/jobconfigs') && /\/(jobs|pods)\//.test(changed);
  return changed === place || isBelow || isItsPod || isOfCollection || isOfConfig;
}

/** A Furiko Job is a Job of batch, too. */
const inBatch = (place: string): string => place.replace(FURIKO, '/apis/batch/v1');

/** A refusal is a Status with the same code; any other answer may be anything. */
function isToldWell(code: number, text: string): boolean {
  if (code < 400) return true;
  const { kind, status, code: told } = JSON.parse(text) as Record<string, unknown>;
  return kind === 'Status' && status === 'Failure' && told === code;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

test('no request fails us, and none changes what it should not', async () => {
  const codes = new Map<string, number>();
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRequest, { minLength: REQUESTS_PER_RUN, maxLength: REQUESTS_PER_RUN }),
      async (requests) => {
        const world = await populated();
        let before = await everything(world);
        let since: string[] = [];
        for (const [nth, request] of requests.entries()) {
          const { method, path, headers, body } = request;
          const answer = await world.app.request(
            new Request(`http://127.0.0.1${path}`, { method, headers, ...(body === null ? {} : { body }) }),
          );
          const text = await answer.text();
          const told = `${method} ${path} → ${answer.status} ${text.slice(0, 300)}`;
          sent++;
          codes.set(`${method} ${answer.status}`, (codes.get(`${method} ${answer.status}`) ?? 0) + 1);
          expect(answer.status, told).toBeLessThan(500);
          expect(world.warnings, told).toEqual([]);
          expect(method === 'HEAD' || isToldWell(answer.status, text), told).toBe(true);
          since.push(told);
          // Lists take most of the time: what others have changed that may not is seen when the next one may.
          if (!mayChangeAny(request, answer.status) && nth < requests.length - 1) continue;
          const after = await everything(world);
          const strays = [...new Set([...before.keys(), ...after.keys()])].filter(
            (place) => before.get(place) !== after.get(place) && !mayChange(request, answer.status, place),
          );
          expect(strays, since.join('\n')).toEqual([]);
          before = after;
          since = [];
        }
      },
    ),
    { numRuns: RUNS, seed: 20_261_121, endOnFailure: false },
  );
  expect(sent).toBeGreaterThanOrEqual(RUNS * REQUESTS_PER_RUN);
  // The requests are close enough to valid ones that every verb succeeds too.
  const met = JSON.stringify(Object.fromEntries([...codes].toSorted(([a], [b]) => (a < b ? -1 : 1))));
  const often = [
    'GET 200',
    'POST 201',
    'PUT 200',
    'PATCH 200',
    'PATCH 201',
    'DELETE 200',
    'POST 422',
    'PATCH 409',
    'PATCH 415',
    'POST 404',
  ];
  for (const outcome of often) expect(codes.get(outcome) ?? 0, `${outcome} of ${met}`).toBeGreaterThan(0);
  expect(
    [...codes.keys()].some((outcome) => outcome.endsWith(' 413')),
    met,
  ).toBe(true);
});
