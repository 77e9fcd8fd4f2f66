import { type JobShape, type Problem, decodeJob } from './job-shape.ts';

/** What becomes of a field that Kubernetes does not know: an error, a warning, or nothing. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Not readable as a Job (400). */
export type Undecodable = {
  readonly kind: 'undecodable';
  readonly message: string;
  readonly problems: readonly Problem[];
};

export type ReadJob =
  | { readonly kind: 'read'; readonly job: JobShape; readonly warnings: readonly string[] }
  | Undecodable;

/** Reads an outside document as a `batch/v1` Job; nothing of what it says has been judged yet. */
export function readJobDocument(document: unknown, fieldValidation: FieldValidation): ReadJob {
  const decoded = decodeJob(document);
  if (decoded.kind === 'undecodable') return notAJob(decoded.problems);
  const { job, unknownFields } = decoded;
  const foreign = foreignKind(job);
  if (foreign !== null) return refusedReading(foreign);
  const unknown = unknownFields.map((path) => ({ path, message: `unknown field ${JSON.stringify(path)}` }));
  if (unknown.length > 0 && fieldValidation === 'Strict') return notAJob(unknown, 'strict decoding error: ');
  return { kind: 'read', job, warnings: fieldValidation === 'Warn' ? unknown.map(({ message }) => message) : [] };
}

export const refusedReading = (message: string, problems: readonly Problem[] = []): Undecodable => ({
  kind: 'undecodable',
  message,
  problems,
});

const notAJob = (problems: readonly Problem[], why = ''): Undecodable =>
  refusedReading(
    `Job in version "v1" cannot be handled as a Job: ${why}${problems.map(({ message }) => message).join(', ')}`,
    problems,
  );

/** Absent kind and apiVersion are taken from the address, as Kubernetes does. */
function foreignKind({ apiVersion = 'batch/v1', kind = 'Job' }: JobShape): string | null {
  if ((apiVersion === 'batch/v1' || apiVersion === '') && (kind === 'Job' || kind === '')) return null;
  return `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a Job: no kind "${kind}" is accepted here, only "Job" of "batch/v1"`;
}
