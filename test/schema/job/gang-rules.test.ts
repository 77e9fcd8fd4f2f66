import { describe, expect, test } from 'vitest';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import { taskEnvironment } from '../../../shared/domain/task/task-environment.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';
import { admitJobUpdate } from '../../../shared/schema/job/job-update.ts';

const GANG = 'muster.run/gang';
const TIMEOUT = 'muster.run/gang-timeout-seconds';
const RESTARTS = 'muster.run/gang-restarts';
const SPEC = { completions: 30, parallelism: 30, completionMode: 'Indexed', subdomain: 'workers' };

const jobSpec = ({ subdomain, ...spec }: { readonly subdomain?: string }) => ({
  ...spec,
  template: {
    spec: {
      restartPolicy: 'Never',
      ...(subdomain === undefined ? {} : { subdomain }),
      containers: [{ name: 'main', image: 'any', command: ['a'] }],
    },
  },
});
const documentOf = (annotations: Record<string, string>, spec: object = SPEC) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'train', annotations },
  spec: jobSpec(spec),
});
const CONTEXT = { namespace: 'default', uid: 'u-1', nameSuffix: 'abcde', fieldValidation: 'Strict' } as const;
const admit = (annotations: Record<string, string>, spec?: object, max = 2000) =>
  admitJob(documentOf(annotations, spec), { ...CONTEXT, hosts: { max } });

function admitted(annotations: Record<string, string>, spec?: object, max?: number) {
  const admission = admit(annotations, spec, max);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission.manifest;
}

type Answer = {
  readonly kind: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};
const faultsOf = (answer: Answer): readonly string[] =>
  (answer.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
const at = (key: string): string => `metadata.annotations[${key}]`;

test('planning reads it from the annotations', () => {
  expect(planningSpec({ manifest: admitted({ [GANG]: 'all' }) }).gang).toEqual({ timeoutSec: 600, restartsMax: 3 });
  const said = { [GANG]: 'all', [TIMEOUT]: '90', [RESTARTS]: '0' };
  expect(planningSpec({ manifest: admitted(said) }).gang).toEqual({ timeoutSec: 90, restartsMax: 0 });
  expect(planningSpec({ manifest: admitted({}) }).gang).toBeNull();
});

test('tasks are given the name that says that all run', () => {
  const names = (annotations: Record<string, string>) =>
    taskEnvironment(admitted(annotations), { index: 3, attempt: 1, restarts: 0 }, 'muster.internal')
      .filter(({ name }) => name === 'MUSTER_READY_HOSTNAME')
      .map(({ value }) => value);
  expect(names({ [GANG]: 'all' })).toEqual(['train-ready.workers.default.muster.internal']);
  expect(names({})).toEqual([]);
});

describe('it needs', () => {
  test.each<[string, Record<string, string>, object, string]>([
    [
      'a subdomain',
      { [GANG]: 'all' },
      { ...SPEC, subdomain: undefined },
      `${at(GANG)}: needs spec.template.spec.subdomain: the name that says that all indexes run is a name below it`,
    ],
    [
      'as many places as indexes',
      { [GANG]: 'all' },
      { ...SPEC, parallelism: 28 },
      'spec.parallelism: must be at least spec.completions, which is 30: with the annotation muster.run/gang, all indexes run together',
    ],
    [
      'each of its indexes',
      { [GANG]: 'all' },
      { ...SPEC, backoffLimitPerIndex: 1 },
      'spec.backoffLimitPerIndex: must not be set with the annotation muster.run/gang: the others would wait for an index that is given up; use spec.backoffLimit',
    ],
    [
      'indexes that start together',
      { [GANG]: 'all', 'muster.run/after-indexes': 'prepare' },
      SPEC,
      `${at('muster.run/after-indexes')}: must not be set with the annotation muster.run/gang: its indexes would start one after another; use muster.run/after`,
    ],
    ['a known word', { [GANG]: 'some' }, SPEC, `${at(GANG)}: must be "all"`],
    ['to be there', { [TIMEOUT]: '5' }, SPEC, `${at(TIMEOUT)}: needs the annotation muster.run/gang: "all"`],
    ['to be there', { [RESTARTS]: '5' }, SPEC, `${at(RESTARTS)}: needs the annotation muster.run/gang: "all"`],
    [
      'a time',
      { [GANG]: 'all', [TIMEOUT]: '0' },
      SPEC,
      `${at(TIMEOUT)}: must be a whole number of seconds between 1 and 9999999, without leading zeros`,
    ],
    [
      'a number',
      { [GANG]: 'all', [RESTARTS]: '-1' },
      SPEC,
      `${at(RESTARTS)}: must be a whole number between 0 and 999, without leading zeros`,
    ],
  ])('%s', (_, annotations, spec, fault) => {
    expect(faultsOf(admit(annotations, spec))).toEqual([fault]);
  });

  test('indexes to have a name', () => {
    const spec = { completions: 3, parallelism: 3, subdomain: 'workers' };
    expect(faultsOf(admit({ [GANG]: 'all' }, spec))).toContain(`${at(GANG)}: needs spec.completionMode: Indexed`);
  });

  test('one name more than there are indexes', () => {
    expect(admitted({ [GANG]: 'all' }, SPEC, 31)).toBeDefined();
    expect(faultsOf(admit({ [GANG]: 'all' }, SPEC, 30))).toEqual([
      'spec.completions: must be less than or equal to 29 when spec.template.spec.subdomain and the annotation muster.run/gang are set: each index needs a name, and the gang one more, and AWS Cloud Map holds 30 for all Jobs',
    ]);
  });
});

describe('once the Job is stored', () => {
  const stored = { manifest: admitted({ [GANG]: 'all' }), uid: 'u-1', started: true, deleting: false };
  const change = (annotations: Record<string, string>, spec: object = {}) => {
    const { metadata } = stored.manifest;
    const document = {
      ...stored.manifest,
      metadata: { ...metadata, uid: 'u-1', annotations },
      spec: { ...stored.manifest.spec, ...spec },
    };
    return faultsOf(admitJobUpdate(stored, document, { fieldValidation: 'Strict' }));
  };

  test('its limits may change, and it never does', () => {
    expect(change({ [GANG]: 'all', [TIMEOUT]: '5', [RESTARTS]: '7' })).toEqual([]);
    expect(change({})).toEqual([`${at(GANG)}: field is immutable`]);
  });

  test('it always has a place for each index', () => {
    expect(change({ [GANG]: 'all' }, { parallelism: 40 })).toEqual([]);
    expect(change({ [GANG]: 'all' }, { parallelism: 29 })).toEqual([
      expect.stringContaining('spec.parallelism: must be at least spec.completions, which is 30'),
    ]);
  });
});
