import fc from 'fast-check';
import { KINDS } from '../../../shared/schema/kinds/kinds.ts';

export const JOB = { is: 'object', of: 'Job' } as const;
export { KINDS };

export type Json = Record<string, unknown>;

/** A Job as users write it: a container with every kind of list. */
export const aJob = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'pi', namespace: 'default', ...metadata },
  spec: { parallelism: 1, template: aTemplate(), ...spec },
});

export const aTemplate = (container: Json = {}, pod: Json = {}): Json => ({
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'perl:5', ...container }], ...pod },
});

/** Two values that are often equal: what matters are differences. */
const word = fc.constantFrom('a', 'b', 'c');
const some = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: undefined, freq: 2 });
const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'constructor'), word, {
  minKeys: 1,
  noNullPrototype: true,
});
const items = <T extends Json>(arb: fc.Arbitrary<T>, key: string, minLength = 1) =>
  fc.uniqueArray(arb, { selector: (item) => item[key], minLength, maxLength: 4 });
const record = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T): fc.Arbitrary<Json> =>
  fc
    .record(fields, { noNullPrototype: true })
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)));

const env = items(record({ name: fc.constantFrom('A', 'B', 'C', 'D'), value: word }), 'name');
const container = record({
  name: fc.constantFrom('one', 'two', 'three', 'four'),
  image: word,
  env: some(env),
  ports: some(items(record({ containerPort: fc.integer({ min: 1, max: 3 }), name: some(word) }), 'containerPort')),
  command: some(fc.array(word, { minLength: 1, maxLength: 3 })),
  resources: some(
    record({ limits: fc.dictionary(fc.constantFrom('cpu', 'memory'), word, { minKeys: 1, noNullPrototype: true }) }),
  ),
});
const volume = fc.oneof(
  record({ name: word, emptyDir: record({ medium: word }) }),
  record({ name: word, secret: record({ secretName: word }) }),
);

/** Random Jobs that differ in scalars, maps, structs, atomic lists, sets, and keyed lists in keyed lists. Nothing is empty or null. */
export const anyJob: fc.Arbitrary<Json> = record({
  apiVersion: fc.constant('batch/v1'),
  kind: fc.constant('Job'),
  metadata: record({
    name: fc.constant('pi'),
    labels: some(labels),
    annotations: some(labels),
    finalizers: some(fc.uniqueArray(fc.constantFrom('x/a', 'x/b', 'x/c'), { minLength: 1 })),
    ownerReferences: some(items(record({ uid: word, name: word, kind: word, apiVersion: word }), 'uid')),
  }),
  spec: record({
    parallelism: some(fc.integer({ min: 1, max: 3 })),
    suspend: some(fc.boolean()),
    template: record({
      metadata: some(record({ labels })),
      spec: record({
        restartPolicy: fc.constantFrom('Never', 'OnFailure'),
        containers: items(container, 'name'),
        volumes: some(items(volume, 'name')),
        nodeSelector: some(labels),
        tolerations: some(fc.array(record({ key: word, operator: word }), { minLength: 1, maxLength: 2 })),
        securityContext: some(record({ runAsUser: fc.nat(3) })),
      }),
    }),
  }),
});
