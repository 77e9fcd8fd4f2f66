import * as z from 'zod';
import { type FieldError, forbidden, invalid } from '../../../schema/object/field-error.ts';
import { int64, known, opt, text } from '../../../schema/object/json-fields.ts';
import { metadataShape } from '../../../schema/object/metadata-shape.ts';
import { type FieldValidation, type ReadObject, readObject } from '../../../schema/object/read-object.ts';

const REQUEST = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(metadataShape),
  spec: opt(
    z.strictObject({
      audiences: opt(z.array(z.string()).readonly()),
      expirationSeconds: int64,
      boundObjectRef: opt(z.strictObject({ apiVersion: text, kind: text, name: text, uid: text })),
    }),
  ),
  ...known('status'),
});

/** A request for a token of a ServiceAccount (`authentication.k8s.io/v1`). */
export type TokenRequest = z.output<typeof REQUEST>;

export const readTokenRequest = (document: unknown, validation: FieldValidation): ReadObject<TokenRequest> =>
  readObject(document, validation, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', shape: REQUEST });

/** An hour, which is upstream's default. */
export const USUAL_LIFE_SEC = 3600;
const LEAST_SEC = 600;
const MOST_SEC = 2 ** 32;

const AUDIENCES_MAX = 20;
const AUDIENCE_CHARS_MAX = 1_000;

/** Upstream's rules (pkg/apis/authentication/validation), and how much a token may say. */
export function tokenRequestErrors({ spec }: TokenRequest): readonly FieldError[] {
  const {
    expirationSeconds: lifeSec = USUAL_LIFE_SEC,
    audiences = [],
    boundObjectRef,
  }: Partial<NonNullable<TokenRequest['spec']>> = spec ?? {};
  const errors: FieldError[] = [];
  const refuse = (why: string): void => void errors.push(invalid('spec.expirationSeconds', lifeSec, why));
  if (lifeSec < LEAST_SEC) refuse('may not specify a duration less than 10 minutes');
  else if (lifeSec > MOST_SEC) refuse('may not specify a duration larger than 2^32 seconds');
  if (audiences.length > AUDIENCES_MAX)
    errors.push(invalid('spec.audiences', audiences.length, `a token has at most ${AUDIENCES_MAX} audiences`));
  audiences.forEach((audience, i) => {
    if (audience === '' || audience.length > AUDIENCE_CHARS_MAX)
      errors.push(
        invalid(`spec.audiences[${i}]`, audience.slice(0, 100), `must have 1 to ${AUDIENCE_CHARS_MAX} characters`),
      );
  });
  if (boundObjectRef !== undefined && (boundObjectRef.kind !== 'Pod' || boundObjectRef.apiVersion !== 'v1'))
    errors.push(forbidden('spec.boundObjectRef', 'a token is bound to a Pod of v1, or to its ServiceAccount alone'));
  return errors;
}
