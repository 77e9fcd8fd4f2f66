import { type EpochMs, asTime } from '../../domain/base/time.ts';
import { type Immutable, type Need, needText } from '../../domain/manifests/annotations/annotation.ts';
import { parseMoment } from '../../domain/manifests/annotations/annotation-values.ts';
import { ANNOTATION_ROWS } from '../../domain/manifests/annotations/rows.ts';
import type { JobManifest, Labels } from '../../domain/manifests/manifest.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import { RUN_ANEW, immutableErrors } from '../object/object-update.ts';
import { annotationPath } from './selection-rules.ts';

// What the rows of Muster's annotations say of a Job as a whole. `ownAnnotationErrors` checks their values.

/** What the annotations of a Job need of its spec and of each other, with paths that begin at the Job. */
export const annotationNeedErrors = (annotations: Labels = {}, spec: object): readonly FieldError[] =>
  ANNOTATION_ROWS.Job.flatMap(({ key, needs = [], parse }) => {
    const text = annotations[key];
    // What a value needs that cannot be read is not known if only some values need it.
    const isMet = (need: Need) =>
      text === need.unless ||
      (need.unless !== undefined && parse?.(text ?? '') === null) ||
      need.anyOf.some((path) => isThere(path, annotations, { spec }, need.is));
    return text === undefined
      ? []
      : needs.filter((need) => !isMet(need)).map((need) => forbidden(annotationPath(key), needText(need)));
  });

function isThere(path: string, annotations: Labels, job: object, value: string | undefined): boolean {
  if (annotations[path] !== undefined) return true;
  const found = path.split('.').reduce<unknown>(fieldOf, job);
  return value === undefined ? found !== undefined && found !== '' : found === value;
}

const fieldOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (Reflect.get(of, name) as unknown) : undefined;

/** A Job that is stored, as far as these rules depend on it. */
type Standing = {
  readonly manifest: Pick<JobManifest, 'metadata'>;
  readonly started: boolean;
  readonly now?: EpochMs | undefined;
};

/** Changes of annotations that their rows do not allow. */
export const annotationChangeErrors = (annotations: Labels = {}, standing: Standing): readonly FieldError[] =>
  ANNOTATION_ROWS.Job.flatMap(({ key, immutable }) => {
    const [is, was] = [annotations[key], standing.manifest.metadata.annotations?.[key]];
    if (is === was) return [];
    if (immutable === 'always') return immutableErrors(annotationPath(key), is, was, RUN_ANEW);
    const why = whyFixed(immutable, was, standing);
    return why === null ? [] : [invalid(annotationPath(key), is ?? null, `field is immutable: ${why}`)];
  });

/** Why it cannot be changed now; null: it can, or a rule of its own says. */
function whyFixed(immutable: Immutable, was: string | undefined, { started, now }: Standing): string | null {
  if (immutable === 'onceStarted') return started ? 'the Job has started' : null;
  const at = immutable === 'oncePassed' ? parseMoment(was ?? '') : null;
  return at !== null && now !== undefined && now >= at ? `${asTime(at)} has passed` : null;
}
