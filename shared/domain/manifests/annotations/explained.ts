import type { Annotation } from './annotation.ts';
import { ANNOTATION_ROWS } from './rows.ts';

const isWritten = ({ setBy }: Annotation): boolean => setBy === undefined;

/** What the annotations of all objects mean, as a text for `kubectl explain`. */
export function explainedAnnotations(): string {
  const { Job, Pod, ...others } = ANNOTATION_ROWS;
  const ofJobs = `On a Job, Muster reads ${explained(Job.filter(isWritten))}; it writes ${explained(Job.filter((row) => !isWritten(row)))}.`;
  const ofOthers = Object.entries<readonly Annotation[]>(others).map(
    ([kind, rows]) => ` On a ${kind}, it reads ${explained(rows)}.`,
  );
  return `${ofJobs}${ofOthers.join('')} On a Pod, it writes ${explained(Pod)}.`;
}

/** The keys that users may set on such an object, or the server if none of them is theirs, as a list in a sentence. */
export function annotationKeys(kind: keyof typeof ANNOTATION_ROWS): string {
  const all: readonly Annotation[] = ANNOTATION_ROWS[kind];
  const written = all.filter(isWritten);
  return listed((written.length === 0 ? all : written).map(({ key }) => key));
}

const explained = (rows: readonly Annotation[]): string =>
  listed(rows.map(({ key, explains }) => `${key} (${explains})`));

const listed = (texts: readonly string[]): string =>
  texts.length === 1 ? `${texts[0]}` : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
