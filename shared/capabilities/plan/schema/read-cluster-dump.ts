import type * as z from 'zod';
import { asEpochMs } from '../../../domain/base/time.ts';
import { asJobUid } from '../../../domain/base/ids.ts';
import { ANNOTATION_ROWS } from '../../../domain/manifests/annotations/rows.ts';
import type { ClusterDump, DumpedJob } from '../domain/cluster-dump.ts';
import { DumpedJobShape, DumpedPodShape, shapeErrors } from './dump-shape.ts';
import { dumpedPod, isOfJob } from './dumped-pod.ts';
import { dumpedSpec } from './dumped-spec.ts';
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../schema/object/field-error.ts';

export type ReadDump =
  | { readonly kind: 'ok'; readonly dump: ClusterDump }
  /** The dump is not used. Lists all faults. */
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] };

/**
 * Reads what `kubectl get jobs,pods -o json` prints: a `v1` List with one `batch/v1` Job and any number of `v1` Pods
 * (nested lists are flattened), or a single Job. Ignores fields that planning does not need, and Pods of other
 * controllers.
 */
export function readClusterDump(document: unknown): ReadDump {
  const { objects, errors } = objectsOf(document);
  const jobs = objects.filter(({ kind }) => kind === 'Job');
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const job = jobs[0] === undefined ? null : parse(DumpedJobShape, jobs[0], errors);
  const read = pods.map((pod) => ({ pod: parse(DumpedPodShape, pod, errors), path: pod.path }));
  if (jobs[0] === undefined && errors.length === 0) errors.push(NO_JOB);
  for (const { path } of jobs.slice(1)) errors.push(forbidden(path, SECOND_JOB));
  if (job !== null) errors.push(...jobErrors(job, jobs[0]?.path ?? ''));
  const own = read.flatMap(({ pod, path }) =>
    pod !== null && job !== null && isOfJob(pod, job) ? [{ pod, path }] : [],
  );
  errors.push(...twins(own));
  if (job === null || errors.length > 0) return { kind: 'invalid', errors };
  return { kind: 'ok', dump: { job: dumpedJob(job), pods: own.map(({ pod }) => dumpedPod(pod, job)) } };
}

const NO_JOB = required('items', 'a dump needs one Job of batch/v1');
const SECOND_JOB = 'a dump may have only one Job; `kubectl get jobs,pods -l job-name=NAME` prints one with its Pods';

function dumpedJob(job: DumpedJobShape): DumpedJob {
  const { metadata, status } = job;
  const { uncountedTerminatedPods: uncounted, ...others } = status;
  return {
    uid: asJobUid(metadata.uid ?? ''),
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    createdAt: metadata.creationTimestamp ?? asEpochMs(0),
    revision: metadata.generation ?? 1,
    deleting: metadata.deletionTimestamp !== null,
    spec: dumpedSpec(job.spec),
    ownAnnotations: ANNOTATION_ROWS.Job.map(({ key }) => key).filter(
      (key) => job.metadata.annotations[key] !== undefined,
    ),
    completionModeKnown: MODES.includes(job.spec.completionMode ?? 'NonIndexed'),
    status: { ...others, uncounted },
  };
}

const MODES: readonly string[] = ['NonIndexed', 'Indexed'];

type Placed = { readonly kind: 'Job' | 'Pod'; readonly value: unknown; readonly path: string };
type Kind = 'List' | 'JobList' | 'PodList' | 'Job' | 'Pod';

const API_VERSIONS: Readonly<Record<Kind, string>> = {
  List: 'v1',
  JobList: 'batch/v1',
  PodList: 'v1',
  Job: 'batch/v1',
  Pod: 'v1',
};
const KINDS = Object.keys(API_VERSIONS) as readonly Kind[];

/** No real dump nests lists deeper. The bound protects the recursive walk. */
const LEVELS_MAX = 4;

/** The Jobs and Pods of a document with their paths. Everything else is a fault. */
function objectsOf(document: unknown): { readonly objects: readonly Placed[]; readonly errors: FieldError[] } {
  const objects: Placed[] = [];
  const errors: FieldError[] = [];
  const place = (path: string, field: string): string => (path === '' ? field : `${path}.${field}`);
  const visit = (value: unknown, path: string, implied: Kind | null, level: number): void => {
    if (!isObject(value)) {
      errors.push(
        invalid(path === '' ? 'the document' : path, value ?? null, 'must be an object with kind and apiVersion'),
      );
      return;
    }
    const given = value['kind'] ?? implied;
    const kind = KINDS.find((each) => each === given);
    if (kind === undefined) {
      errors.push(
        given === null
          ? required(place(path, 'kind'), `such as ${path === '' ? 'List' : 'Pod'}`)
          : notSupported(place(path, 'kind'), given, level === 0 ? KINDS : ['Job', 'Pod']),
      );
      return;
    }
    const version = value['apiVersion'] ?? API_VERSIONS[kind];
    if (version !== API_VERSIONS[kind])
      errors.push(notSupported(place(path, 'apiVersion'), version, [API_VERSIONS[kind]]));
    else if (kind === 'Job' || kind === 'Pod') objects.push({ kind, value, path });
    else if (level === LEVELS_MAX)
      errors.push(forbidden(path, `lists may be nested at most ${LEVELS_MAX} levels deep`));
    else if (!Array.isArray(value['items'] ?? []))
      errors.push(invalid(place(path, 'items'), value['items'], 'must be a list'));
    else
      for (const [no, item] of asList(value['items']).entries())
        visit(
          item,
          place(path, `items[${no}]`),
          kind === 'JobList' ? 'Job' : kind === 'PodList' ? 'Pod' : null,
          level + 1,
        );
  };
  visit(document, '', null, 0);
  return { objects, errors };
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** null: it is invalid, and its faults were added to `errors`. */
function parse<S extends z.ZodType>(shape: S, { value, path }: Placed, errors: FieldError[]): z.output<S> | null {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  errors.push(...shapeErrors(read.error.issues, value, path));
  return null;
}

/** Faults that upstream never admits, so the Job cannot be planned. */
function jobErrors({ spec }: DumpedJobShape, path: string): readonly FieldError[] {
  const at = path === '' ? 'spec' : `${path}.spec`;
  if (spec.completionMode === 'Indexed' && spec.completions === null && spec.parallelism !== null)
    return [required(`${at}.completions`, 'when completion mode is Indexed')];
  if (spec.completionMode !== 'Indexed' && spec.backoffLimitPerIndex !== null)
    return [invalid(`${at}.backoffLimitPerIndex`, spec.backoffLimitPerIndex, 'requires indexed job')];
  if (spec.completionMode !== 'Indexed' && spec.successPolicy !== null)
    return [invalid(`${at}.successPolicy`, undefined, 'requires indexed completion mode')];
  return [];
}

/** The plan refers to Pods by name, and Pods are counted by UID, so both must be unique. */
function twins(pods: readonly { readonly pod: DumpedPodShape; readonly path: string }[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const uids = new Set<string>();
  for (const { pod, path } of pods) {
    const { name, uid } = pod.metadata;
    if (names.has(name)) errors.push(duplicate(`${path}.metadata.name`, name));
    else if (uid !== null && uids.has(uid)) errors.push(duplicate(`${path}.metadata.uid`, uid));
    names.add(name);
    if (uid !== null) uids.add(uid);
  }
  return errors;
}
