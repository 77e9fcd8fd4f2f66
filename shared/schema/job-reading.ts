import { JobShape } from './job-shape.ts';
import { type FieldValidation, type Undecodable, readObject } from './read-object.ts';

export { type FieldValidation, type Undecodable, refusedReading } from './read-object.ts';

export type ReadJob =
  | { readonly kind: 'read'; readonly job: JobShape; readonly warnings: readonly string[] }
  | Undecodable;

/** Reads an outside document as a `batch/v1` Job; nothing of what it says has been judged yet. */
export function readJobDocument(document: unknown, fieldValidation: FieldValidation): ReadJob {
  const read = readObject(document, fieldValidation, { apiVersion: 'batch/v1', kind: 'Job', shape: JobShape });
  return read.kind === 'undecodable' ? read : { kind: 'read', job: read.object, warnings: read.warnings };
}
