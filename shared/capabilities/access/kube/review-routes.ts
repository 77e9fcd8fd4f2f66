import type { User } from '../../../domain/callers/user.ts';
import { type Context, Hono } from 'hono';
import type { FieldError } from '../../../schema/object/field-error.ts';
import type { FieldValidation, ReadObject } from '../../../schema/object/read-object.ts';
import {
  type AccessReview,
  accessReviewErrors,
  readAccessReview,
  readRulesReview,
  readSelfReview,
  readSubjectReview,
  subjectReviewErrors,
} from '../schema/self-review.ts';
import { servedBy } from '../../../kube/discovery/served-resources.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { jsonAnswer } from '../../../kube/http/json-answer.ts';
import { negotiate } from '../../../kube/http/negotiate.ts';
import {
  type Resource,
  badRequest,
  errorResponse,
  invalidObject,
  methodNotAllowed,
} from '../../../kube/http/status-error.ts';
import { readDocument } from '../../../kube/write/read-document.ts';
import { notAdmitted } from '../../../kube/write/refused-write.ts';
import { withWarnings } from '../../../kube/http/warnings.ts';
import { writeOptions } from '../../../kube/write/write-options.ts';
import { type ServedKind, accessToPath, accessToResource, rulesOf, servedKinds } from './served-access.ts';
import { rulesByRoles, statusByRoles } from './role-answers.ts';

const AUTHORIZATION = 'authorization.k8s.io';
const ACCESS: Resource = { group: AUTHORIZATION, plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' };
const OF_USER: Resource = { group: AUTHORIZATION, plural: 'subjectaccessreviews', kind: 'SubjectAccessReview' };
const LOCAL: Resource = {
  group: AUTHORIZATION,
  plural: 'localsubjectaccessreviews',
  kind: 'LocalSubjectAccessReview',
};
const RULES: Resource = { group: AUTHORIZATION, plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview' };
const SELF: Resource = { group: 'authentication.k8s.io', plural: 'selfsubjectreviews', kind: 'SelfSubjectReview' };

/** Adds the questions about what is served here. */
export const addReviewRoutes = (
  app: Hono,
  deps: Pick<ApiDeps, 'callerOf' | 'authorizer'>,
  options: Parameters<typeof servedBy>[0],
): void => void app.route('/', reviewRoutes(servedKinds(servedBy(options)), deps));

/**
 * Questions about what somebody may do, and about who the caller is. Nothing is stored; each answer is the request with a status.
 * Roles answer if they decide; otherwise everybody may do what is served.
 */
export function reviewRoutes(
  served: readonly ServedKind[],
  { callerOf, authorizer }: Pick<ApiDeps, 'callerOf' | 'authorizer'>,
): Hono {
  const app = new Hono();
  const judged = async (errors: readonly FieldError[], spec: AccessReview['spec'], user: User): Promise<Answer> => {
    if (errors.length > 0) return { kind: 'invalid', errors };
    const status = authorizer === null ? statusOf(spec, served) : await statusByRoles(spec, user, authorizer);
    return { kind: 'answered', status };
  };
  answering(app, ACCESS, readAccessReview, (review, c) => judged(accessReviewErrors(review), review.spec, callerOf(c)));
  for (const [resource, path] of [
    [OF_USER, pathOf(OF_USER)],
    [LOCAL, `/apis/${AUTHORIZATION}/v1/namespaces/:namespace/${LOCAL.plural}`],
  ] as const) {
    const read = (document: unknown, validation: FieldValidation) =>
      readSubjectReview(resource === LOCAL ? 'LocalSubjectAccessReview' : 'SubjectAccessReview', document, validation);
    answering(
      app,
      resource,
      read,
      async (review, c) => {
        const { user = '', uid = '', groups = [] } = review.spec ?? {};
        const namespace = c.req.param('namespace') ?? null;
        const told = review.metadata?.namespace ?? '';
        if (namespace !== null && told !== '' && told !== namespace) return { kind: 'bad', message: MISPLACED };
        const asked = { username: user, groups, ...(uid === '' ? {} : { uid }) };
        return judged(subjectReviewErrors(review, namespace), review.spec, asked);
      },
      path,
    );
  }
  answering(app, RULES, readRulesReview, async ({ spec }, c) => {
    const namespace = spec?.namespace ?? '';
    if (namespace === '') return { kind: 'bad', message: 'no namespace on request' };
    const status = authorizer === null ? rulesOf(served) : await rulesByRoles(callerOf(c), namespace, authorizer);
    return { kind: 'answered', status };
  });
  answering(app, SELF, readSelfReview, async (_review, c) => ({
    kind: 'answered',
    status: { userInfo: callerOf(c) },
  }));
  return app;
}

const MISPLACED = 'the namespace of the provided object does not match the namespace sent on the request';

/** Where nobody's roles are asked. */
function statusOf(spec: AccessReview['spec'], served: readonly ServedKind[]): object {
  const { resourceAttributes, nonResourceAttributes } = spec ?? {};
  const access =
    resourceAttributes === undefined
      ? accessToPath(nonResourceAttributes)
      : accessToResource(resourceAttributes, served);
  return access.allowed ? access : { ...access, denied: true };
}

type Answer =
  | { readonly kind: 'answered'; readonly status: object }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'bad'; readonly message: string };

const pathOf = ({ group, plural }: Resource): string => `/apis/${group}/v1/${plural}`;

function answering<T extends object>(
  app: Hono,
  resource: Resource,
  read: (document: unknown, validation: FieldValidation) => ReadObject<T>,
  reviewOf: (review: T, c: Context) => Promise<Answer>,
  path = pathOf(resource),
): void {
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
    const answer = await reviewOf(review.object, c);
    switch (answer.kind) {
      case 'bad':
        return errorResponse(badRequest(answer.message));
      case 'invalid':
        return errorResponse(invalidObject(resource, '', answer.errors));
      case 'answered': {
        const { kind } = resource;
        const asked = 'spec' in review.object ? { spec: review.object.spec } : {};
        const namespace = c.req.param('namespace');
        const metadata = namespace === undefined ? {} : { namespace };
        const object = { kind, apiVersion: `${resource.group}/v1`, metadata, ...asked, status: answer.status };
        return withWarnings(jsonAnswer(c, object, 201), [...sent.value.warnings, ...review.warnings]);
      }
    }
  });
  app.all(path, () => errorResponse(methodNotAllowed()));
}
