import * as z from 'zod';
import { deleteOptionsShape } from './delete-options.ts';
import { opt, text } from '../object/json-fields.ts';
import { objectMetadataShape } from '../object/object-metadata.ts';
import { type FieldValidation, type ReadObject, readObject } from '../object/read-object.ts';

const Eviction = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  deleteOptions: opt(deleteOptionsShape),
});

/** Reads a `policy/v1` Eviction. */
export const readEviction = (
  document: unknown,
  fieldValidation: FieldValidation,
): ReadObject<z.output<typeof Eviction>> =>
  readObject(document, fieldValidation, { apiVersion: 'policy/v1', kind: 'Eviction', shape: Eviction });
