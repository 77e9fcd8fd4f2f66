import { ANNOTATIONS } from '../../domain/spec/annotations.ts';
import { parseAfter, parseAfterIndexes } from '../../domain/spec/dependencies.ts';
import type { JobManifest, Labels } from '../../domain/spec/manifest.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import { RUN_ANEW, immutableErrors } from '../object/object-update.ts';
import type { JobSpecShape } from './job-shape.ts';
import { annotationPath } from './selection-rules.ts';

// Which Jobs a Job waits for: muster.run/after, and muster.run/after-indexes for its indexes.

/** The rules for both annotations, with paths that begin at the Job. What the other Jobs are like is checked on create. */
export function dependencyErrors(
  name: string,
  annotations: Labels | undefined,
  { completionMode }: Pick<JobSpecShape, 'completionMode'>,
): readonly FieldError[] {
  const after = read(annotations, ANNOTATIONS.after, (text) => namesIn(parseAfter(text)), name);
  const indexes = read(annotations, ANNOTATIONS.afterIndexes, (text) => namesIn(parseAfterIndexes(text)), name);
  const twice = after.names.find((each) => indexes.names.includes(each));
  const { afterIndexes } = ANNOTATIONS;
  const text = annotations?.[afterIndexes];
  return [
    ...after.errors,
    ...indexes.errors,
    ...(twice === undefined
      ? []
      : [invalid(annotationPath(afterIndexes), text, `names job ${twice}, which ${ANNOTATIONS.after} names already`)]),
    ...(text !== undefined && completionMode !== 'Indexed'
      ? [
          forbidden(
            annotationPath(afterIndexes),
            'needs spec.completionMode Indexed: only indexes can wait for indexes',
          ),
        ]
      : []),
  ];
}

type Names = { readonly names: readonly string[] } | { readonly fault: string };

const namesIn = (parsed: ReturnType<typeof parseAfter> | ReturnType<typeof parseAfterIndexes>): Names => {
  if (parsed.kind === 'invalid') return { fault: parsed.reason };
  return { names: ('after' in parsed ? parsed.after : parsed.afterIndexes).map(({ name }) => name) };
};

function read(
  annotations: Labels | undefined,
  key: string,
  parse: (text: string) => Names,
  own: string,
): { readonly names: readonly string[]; readonly errors: readonly FieldError[] } {
  const text = annotations?.[key];
  const parsed: Names = text === undefined ? { names: [] } : parse(text);
  if ('fault' in parsed) return { names: [], errors: [invalid(annotationPath(key), text, parsed.fault)] };
  const isOwn = parsed.names.includes(own);
  return { ...parsed, errors: isOwn ? [invalid(annotationPath(key), text, 'a Job cannot wait for itself')] : [] };
}

/** A user may let a Job go that is held, by removing what it waits for; nothing else changes. */
export function dependencyChangeErrors(
  annotations: Labels | undefined,
  { manifest: { metadata }, started }: { readonly manifest: Pick<JobManifest, 'metadata'>; readonly started: boolean },
): readonly FieldError[] {
  const { after, afterIndexes } = ANNOTATIONS;
  const [is, was] = [annotations?.[after], metadata.annotations?.[after]];
  const why = started
    ? 'field is immutable: the Job has started'
    : 'only entries may be removed: the Job waits for the others since it was created';
  return [
    ...(is === was || (!started && isPart(is, was)) ? [] : [invalid(annotationPath(after), is ?? null, why)]),
    ...immutableErrors(
      annotationPath(afterIndexes),
      annotations?.[afterIndexes],
      metadata.annotations?.[afterIndexes],
      RUN_ANEW,
    ),
  ];
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
