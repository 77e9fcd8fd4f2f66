import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { contextOf } from '../../local/event-source/mapping.ts';
import { sweepDeadLetters } from '../../shared/control/sweep/sweep-dead-letters.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { freshNamespace } from '../../shared/domain/manifests/namespace.ts';
import type { DeadLetter, SubmissionRefusal } from '../../shared/ports/dead-letters.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { submitHandler } from '../../shared/runtime/submit-handler.ts';
import { aRuntime, anEvent, anInbox } from './a-runtime.ts';

export const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/submissions/${name}.json`, import.meta.url), 'utf8');

export const POD = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'alpine', command: ['true'] }] };
export const job = (name: string | undefined, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...(name === undefined ? {} : { name }), ...metadata },
  spec: { template: { spec: POD }, ...more },
});

export type Shown = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: {
    readonly completions?: number;
    readonly completionMode: string;
    readonly suspend: boolean;
    readonly template: { readonly spec: { readonly containers: readonly { readonly env?: readonly object[] }[] } };
  };
};

/** The submit function over a store in memory, and the API to look at it with. */
export async function aSubmitWorld() {
  const letters: { body: string; reason: string; refusal: SubmissionRefusal | undefined }[] = [];
  const { inbox, retried } = anInbox();
  const noting = {
    ...inbox,
    deadLetter: async (body: string, reason: string, refusal?: SubmissionRefusal) =>
      letters.push({ body, reason, refusal }) > 0,
  };
  const made = aRuntime(noting);
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const deadQueue: DeadLetter[] = [];
  const runtime: Runtime = { ...made.runtime, deps: { ...made.runtime.deps, hash } };
  const { deps } = runtime;
  await deps.objects.commit('Namespace', {
    key: { namespace: '', name: 'default' },
    was: 0,
    document: freshNamespace('default', 'ns-uid', deps.clock.now()) as never,
  });
  const app = kubeApiOf(runtime);
  const ask = async (method: string, path: string, body?: object) => {
    const response = await app.request(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const answer: unknown = await response.json();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer as { readonly items: readonly Shown[] } & Shown;
  };
  const path = (kind: string, name = '') => `/apis/batch/v1/namespaces/default/${kind}${name === '' ? '' : `/${name}`}`;
  let given = runtime;
  const handler = submitHandler(() => given);
  return {
    runtime,
    letters,
    retried,
    ask,
    path,
    /** With other deps for the handler from now on. */
    over: (deps2: Partial<Runtime['deps']>) => void (given = { ...runtime, deps: { ...runtime.deps, ...deps2 } }),
    jobs: async () => (await ask('GET', path('jobs'))).items,
    /** The messages that come again. */
    submit: async (bodies: readonly (string | object)[], firstId = 0) => {
      const event = anEvent(bodies.map((body) => (typeof body === 'string' ? body : JSON.stringify(body))));
      const records = event.Records.map((record, i) => ({ ...record, messageId: `m${firstId + i}` }));
      const { batchItemFailures } = await handler({ Records: records }, contextOf('submit', 30_000));
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    events: async (namespace = 'default') => {
      for (const [i, { body, reason, refusal }] of letters.splice(0).entries())
        deadQueue.push({
          queue: 'submit',
          id: `d${i}-${deadQueue.length}`,
          body,
          reason,
          refusal,
          sentAt: asEpochMs(5),
        });
      await sweepDeadLetters(
        {
          dead: {
            take: async (queue) =>
              queue === 'submit' ? deadQueue.splice(0).map((each) => ({ ...each, receipt: '' })) : [],
            remove: async () => undefined,
          },
          deadLetters: runtime.deadLetters.deadLetters,
        },
        runtime.deps,
      );
      const { items } = await ask(
        'GET',
        `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.kind=Namespace`,
      );
      return items as unknown as readonly {
        readonly message: string;
        readonly count: number;
        readonly reason: string;
      }[];
    },
  };
}
