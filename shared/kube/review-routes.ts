import { type Context, Hono } from 'hono';
import type { Fault } from '../schema/fault.ts';
import type { FieldValidation, ReadObject } from '../schema/read-object.ts';
import { accessReviewFaults, readAccessReview, readRulesReview, readSelfReview } from '../schema/self-review.ts';
import { type Access, type ServedKind, accessToPath, accessToResource, rulesOf } from './access.ts';
import type { ApiOptions } from './api-deps.ts';
import { jsonAnswer } from './json-answer.ts';
import { negotiate } from './negotiate.ts';
import { type Resource, badRequest, errorResponse, invalidObject, methodNotAllowed } from './status-error.ts';
import { readDocument } from './write/read-document.ts';
import { notAdmitted, withWarnings } from './write/refused-write.ts';
import { writeOptions } from './write/write-options.ts';

const AUTHORIZATION = 'authorization.k8s.io';
const ACCESS: Resource = { group: AUTHORIZATION, plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' };
const RULES: Resource = { group: AUTHORIZATION, plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview' };
const SELF: Resource = { group: 'authentication.k8s.io', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' };

/** On a person's own machine nobody but that person is answered. */
const LOCAL_USER = { username: 'local', groups: ['system:masters', 'system:authenticated'] };
/** Whoever is let through has said who he is, but not to us. */
const SOMEBODY = { username: 'authenticated', groups: ['system:authenticated'] };

/**
 * What callers ask about themselves: may I, what may I, who am I. Nothing is stored; each answer is the question with a
 * status. Questions about others are not served.
 */
export function reviewRoutes(served: readonly ServedKind[], options: Pick<ApiOptions, 'embedded' | 'userOf'>): Hono {
  const { embedded = false, userOf = () => (embedded ? LOCAL_USER : SOMEBODY) } = options;
  const app = new Hono();
  answering(app, ACCESS, readAccessReview, (review) => {
    const faults = accessReviewFaults(review);
    if (faults.length > 0) return { kind: 'invalid', faults };
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
  answering(app, SELF, readSelfReview, (_review, c) => ({ kind: 'answered', status: { userInfo: userOf(c) } }));
  return app;
}

const statusOf = (access: Access) => (access.allowed ? access : { ...access, denied: true });

type Answer =
  | { readonly kind: 'answered'; readonly status: object }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }
  | { readonly kind: 'bad'; readonly message: string };

function answering<T extends object>(
  app: Hono,
  resource: Resource,
  read: (document: unknown, validation: FieldValidation) => ReadObject<T>,
  judge: (review: T, c: Context) => Answer,
): void {
  const path = `/apis/${resource.group}/v1/${resource.plural}`;
  app.post(path, async (c) => {
    const form = negotiate(c.req.header('accept'), 'review', undefined);
    if (form.kind === 'bad') return errorResponse(form.error);
    const options = writeOptions(c, 'CreateOptions');
    if (options.kind === 'bad') return errorResponse(options.error);
    const { fieldValidation } = options.value;
    const sent = await readDocument(c, resource, fieldValidation);
    if (sent.kind === 'bad') return errorResponse(sent.error);
    const review = read(sent.value.value, fieldValidation);
    if (review.kind === 'undecodable') return errorResponse(notAdmitted(resource, review));
    const answer = judge(review.object, c);
    switch (answer.kind) {
      case 'bad':
        return errorResponse(badRequest(answer.message));
      case 'invalid':
        return errorResponse(invalidObject(resource, '', answer.faults));
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
