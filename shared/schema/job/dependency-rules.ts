import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { parseAfter, parseAfterIndexes } from '../../domain/manifests/annotations/dependencies.ts';
import type { JobManifest, Labels } from '../../domain/manifests/manifest.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import { annotationPath } from './selection-rules.ts';

// Which Jobs a Job waits for, and which its indexes wait for.

const { after, afterIndexes } = ANNOTATIONS;

/** The rules for both annotations besides their rows, with paths that begin at the Job. What the other Jobs are like is checked on create. */
export function dependencyErrors(name: string, annotations: Labels | undefined): readonly FieldError[] {
  const [ofJob, ofIndexes] = [annotations?.[after], annotations?.[afterIndexes]];
  const names = namesIn(parseAfter(ofJob ?? ''));
  const others = namesIn(parseAfterIndexes(ofIndexes ?? ''));
  const twice = names.find((each) => others.includes(each));
  return [
    ...(names.includes(name) ? [invalid(annotationPath(after), ofJob, ITSELF)] : []),
    ...(others.includes(name) ? [invalid(annotationPath(afterIndexes), ofIndexes, ITSELF)] : []),
    ...(twice === undefined
      ? []
      : [invalid(annotationPath(afterIndexes), ofIndexes, `names job ${twice}, which ${after} names already`)]),
  ];
}

const ITSELF = 'a Job cannot wait for itself';

/** None in a text that cannot be read. */
const namesIn = (parsed: ReturnType<typeof parseAfter> | ReturnType<typeof parseAfterIndexes>): readonly string[] =>
  parsed.kind === 'invalid' ? [] : ('after' in parsed ? parsed.after : parsed.afterIndexes).map(({ name }) => name);

/** A user may let a Job go that is held, by removing what it waits for; nothing else changes. */
export function dependencyChangeErrors(
  annotations: Labels | undefined,
  { manifest: { metadata }, started }: { readonly manifest: Pick<JobManifest, 'metadata'>; readonly started: boolean },
): readonly FieldError[] {
  const [is, was] = [annotations?.[after], metadata.annotations?.[after]];
  if (is === was || (!started && isPart(is, was))) return [];
  const why = started
    ? 'field is immutable: the Job has started'
    : 'only entries may be removed: the Job waits for the others since it was created';
  return [invalid(annotationPath(after), is ?? null, why)];
}

/** Every entry of `is` is one of `was`. */
function isPart(is: string | undefined, was: string | undefined): boolean {
  if (is === undefined) return true;
  const [now, before] = [parseAfter(is), parseAfter(was ?? '')];
  if (now.kind === 'invalid' || before.kind === 'invalid') return false;
  return now.after.every((each) =>
    before.after.some(({ name, condition }) => name === each.name && condition === each.condition),
  );
}
