import { type Context, Hono } from 'hono';
import type { FieldError } from '../../schema/object/field-error.ts';
import type { FieldValidation, ReadObject } from '../../schema/object/read-object.ts';
import {
  accessReviewErrors,
  readAccessReview,
  readRulesReview,
  readSelfReview,
} from '../../schema/requests/self-review.ts';
import { type Access, type ServedKind, accessToPath, accessToResource, rulesOf } from './access.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { jsonAnswer } from '../http/json-answer.ts';
import { negotiate } from '../http/negotiate.ts';
import { type Resource, badRequest, errorResponse, invalidObject, methodNotAllowed } from '../http/status-error.ts';
import { readDocument } from '../write/read-document.ts';
import { notAdmitted, withWarnings } from '../write/refused-write.ts';
import { writeOptions } from '../write/write-options.ts';

const AUTHORIZATION = 'authorization.k8s.io';
const ACCESS: Resource = { group: AUTHORIZATION, plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' };
const RULES: Resource = { group: AUTHORIZATION, plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview' };
const SELF: Resource = { group: 'authentication.k8s.io', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' };

/**
 * What callers ask about themselves: what am I allowed to do, and who am I. Nothing is stored; each answer is the request with
 * a status. Requests about other users are not served.
 */
export function reviewRoutes(served: readonly ServedKind[], { callerOf }: Pick<ApiDeps, 'callerOf'>): Hono {
  const app = new Hono();
  answering(app, ACCESS, readAccessReview, (review) => {
    const errors = accessReviewErrors(review);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const { resourceAttributes, nonResourceAttributes } = review.spec ?? {};
    const access =
      resourceAttributes === undefined
        ? accessToPath(nonResourceAttributes)
        : accessToResource(resourceAttributes, served);
    return { kind: 'answered', status: statusOf(access) };
  });
  answering(app, RULES, readRulesReview, ({ spec }) =>
    (spec?.namespace ?? '') === ''
      ? { kind: 'bad', message: 'no namespace on request' }
      : { kind: 'answered', status: rulesOf(served) },
  );
  answering(app, SELF, readSelfReview, (_review, c) => ({ kind: 'answered', status: { userInfo: callerOf(c) } }));
  return app;
}

const statusOf = (access: Access) => (access.allowed ? access : { ...access, denied: true });

type Answer =
  | { readonly kind: 'answered'; readonly status: object }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'bad'; readonly message: string };

function answering<T extends object>(
  app: Hono,
  resource: Resource,
  read: (document: unknown, validation: FieldValidation) => ReadObject<T>,
  reviewOf: (review: T, c: Context) => Answer,
): void {
  const path = `/apis/${resource.group}/v1/${resource.plural}`;
  app.post(path, async (c) => {
    const form = negotiate(c.req.header('accept'), 'review', undefined);
    if (form.kind === 'bad') return errorResponse(form.error);
    const options = writeOptions(c, 'CreateOptions');
    if (options.kind === 'bad') return errorResponse(options.error);
    const { fieldValidation } = options.value;
    const written = { resource, apiVersion: `${resource.group}/v1`, type: resource.kind };
    const sent = await readDocument(c, written, fieldValidation);
    if (sent.kind === 'bad') return errorResponse(sent.error);
    const review = read(sent.value.value, fieldValidation);
    if (review.kind === 'undecodable') return errorResponse(notAdmitted(resource, review));
    const answer = reviewOf(review.object, c);
    switch (answer.kind) {
      case 'bad':
        return errorResponse(badRequest(answer.message));
      case 'invalid':
        return errorResponse(invalidObject(resource, '', answer.errors));
      case 'answered': {
        const { kind } = resource;
        const asked = 'spec' in review.object ? { spec: review.object.spec } : {};
        const object = { kind, apiVersion: `${resource.group}/v1`, metadata: {}, ...asked, status: answer.status };
        return withWarnings(jsonAnswer(c, object, 201), [...sent.value.warnings, ...review.warnings]);
      }
    }
  });
  app.all(path, () => errorResponse(methodNotAllowed()));
}
