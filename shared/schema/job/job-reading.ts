import { JobShape } from './job-shape.ts';
import { type FieldValidation, type Undecodable, readObject } from '../object/read-object.ts';

export { type FieldValidation, type Undecodable, misplacedReading } from '../object/read-object.ts';

export type ReadJob =
  | { readonly kind: 'read'; readonly job: JobShape; readonly warnings: readonly string[] }
  | Undecodable;

/** Reads an external document as a `batch/v1` Job, without judging its values. */
export function readJobDocument(document: unknown, fieldValidation: FieldValidation): ReadJob {
  const read = readObject(document, fieldValidation, { apiVersion: 'batch/v1', kind: 'Job', shape: JobShape });
  return read.kind === 'undecodable' ? read : { kind: 'read', job: read.object, warnings: read.warnings };
}
