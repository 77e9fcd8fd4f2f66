import { CAPABILITY_ANNOTATIONS } from '../../../capabilities/lists/annotation-rows.ts';
import type { Annotation, JobAnnotation } from './annotation.ts';
import { OF_DEPENDENCIES } from './dependencies.ts';
import { OF_GANGS } from './gangs.ts';
import { OF_LISTS, OF_MATRICES } from './lists.ts';
import { OF_LOSSES } from './losses.ts';
import { POD_ANNOTATIONS } from './pods.ts';
import { OF_RERUNS } from './reruns.ts';
import { OF_SUCCESS } from './successes.ts';
import { OF_TASK_TOKENS } from './task-tokens.ts';
import { OF_TIMES } from './times.ts';

const JOB_ANNOTATIONS = {
  ...OF_LOSSES,
  ...OF_LISTS,
  ...OF_RERUNS,
  ...OF_TASK_TOKENS,
  ...OF_TIMES,
  ...OF_SUCCESS,
  ...OF_GANGS,
  ...OF_MATRICES,
  ...OF_DEPENDENCIES,
};

type RowsByKind<Kinds> = { readonly [Kind in keyof Kinds]: readonly Annotation[] };
/** The rows of each kind, as a list. */
function rowsByKind<Kinds extends Readonly<Record<string, Readonly<Record<string, Annotation>>>>>(
  kinds: Kinds,
): RowsByKind<Kinds> {
  const lists: unknown = Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, Object.values(rows)]));
  return lists as RowsByKind<Kinds>;
}

/** All annotations of Muster's, by the kind of object that has them, in the order in which faults and `explain` name them. */
export const ANNOTATION_ROWS = {
  Job: Object.values<JobAnnotation>(JOB_ANNOTATIONS),
  ...rowsByKind(CAPABILITY_ANNOTATIONS),
  Pod: Object.values<Annotation>(POD_ANNOTATIONS),
} as const;

type Keys<Rows extends Readonly<Record<string, Annotation>>> = { readonly [Name in keyof Rows]: Rows[Name]['key'] };
const keysOf = <Rows extends Readonly<Record<string, Annotation>>>(rows: Rows): Keys<Rows> =>
  Object.fromEntries(Object.entries(rows).map(([name, { key }]) => [name, key])) as Keys<Rows>;

/** The keys of those of Jobs and Pods, by the names that code has for them. */
export const ANNOTATIONS = {
  ...keysOf(JOB_ANNOTATIONS),
  ...keysOf(POD_ANNOTATIONS),
};

type JobRows = typeof JOB_ANNOTATIONS;
type FieldOf<Row> = Row extends { readonly field: infer Field extends string } ? Field : never;
type ValueOf<Row> = Row extends { readonly parse: (text: string) => infer Value; readonly absent: infer Absent }
  ? Exclude<Value, null> | Absent
  : never;

/** The fields of a Job's spec that one annotation each says, as the rows name them. */
export type AnnotatedFields = { readonly [Name in keyof JobRows as FieldOf<JobRows[Name]>]: ValueOf<JobRows[Name]> };

/** These fields of a Job. A text that cannot be read counts as absent: admission has refused it. */
export const annotatedFields = (annotations: Readonly<Record<string, string>>): AnnotatedFields =>
  Object.fromEntries(
    ANNOTATION_ROWS.Job.flatMap(({ key, field, absent, parse }) => {
      const text = annotations[key];
      return field === undefined ? [] : [[field, (text === undefined ? null : parse?.(text)) ?? absent]];
    }),
  ) as AnnotatedFields;

/** The keys of a Job's annotations that such a copy of it does not get. */
export const leftOutOf = (copy: 'rerun' | 'submission'): readonly string[] =>
  ANNOTATION_ROWS.Job.filter((row) => row.leftOutOf?.includes(copy) === true).map(({ key }) => key);
