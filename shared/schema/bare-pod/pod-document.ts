import * as z from 'zod';
import { opt, text } from '../object/json-fields.ts';
import { objectMetadataShape } from '../object/object-metadata.ts';
import { type FieldValidation, type ReadObject, readObject } from '../object/read-object.ts';
import { templateShape } from '../pod/pod-shape.ts';

/** A core/v1 Pod as clients write it. Its spec is that of a template. */
const PodShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: templateShape.shape.spec,
  // Only the server writes it; clients send it back.
  status: z.unknown().optional(),
});

export type PodShape = z.output<typeof PodShape>;

/** Reads an external document as a Pod, without judging its values. */
export const readPodDocument = (document: unknown, fieldValidation: FieldValidation): ReadObject<PodShape> =>
  readObject(document, fieldValidation, { apiVersion: 'v1', kind: 'Pod', shape: PodShape });
