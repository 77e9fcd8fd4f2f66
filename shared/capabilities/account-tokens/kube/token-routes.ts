import type { Context, Hono } from 'hono';
import { asEpochMs, asTime } from '../../../domain/base/time.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { negotiate } from '../../../kube/http/negotiate.ts';
import { jsonAnswer } from '../../../kube/http/json-answer.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import {
  type Resource,
  type StatusError,
  badRequest,
  conflict,
  errorResponse,
  invalidObject,
  methodNotAllowed,
  notFound,
} from '../../../kube/http/status-error.ts';
import { withWarnings } from '../../../kube/http/warnings.ts';
import { findPod } from '../../../kube/pods/find-pod.ts';
import { readDocument } from '../../../kube/write/read-document.ts';
import { notAdmitted } from '../../../kube/write/refused-write.ts';
import { writeOptions } from '../../../kube/write/write-options.ts';
import { readAccount } from '../../../store/read-account.ts';
import { type Bound, claimsOf } from '../domain/token-claims.ts';
import { type TokenRequest, USUAL_LIFE_SEC, readTokenRequest, tokenRequestErrors } from '../schema/token-request.ts';
import type {} from '../ports/account-tokens.ts';

const REQUEST: Resource = { group: 'authentication.k8s.io', plural: 'tokenrequests', kind: 'TokenRequest' };
const API_VERSION = 'authentication.k8s.io/v1';
const PATH = '/api/v1/namespaces/:namespace/serviceaccounts/:name/token';

/** Answers `POST` of a TokenRequest: `kubectl create token`. Where nobody signs in with tokens of accounts, it says so. */
export function addTokenRoutes(app: Hono, deps: ApiDeps): void {
  app.post(PATH, (c) => answer(c, deps));
  app.all(PATH, () => errorResponse(methodNotAllowed()));
}

const NO_TOKENS =
  'nobody signs in here with a token of a ServiceAccount: start `muster local` with `--users`; on AWS a task signs in with its role';

async function answer(c: Context, deps: ApiDeps): Promise<Response> {
  const { accountTokens } = deps.ports ?? {};
  if (accountTokens === undefined || deps.authorizer === null) return errorResponse(methodNotAllowed(NO_TOKENS));
  const { namespace = '', name = '' } = c.req.param();
  const form = negotiate(c.req.header('accept'), 'review', undefined);
  if (form.kind === 'bad') return errorResponse(form.error);
  const options = writeOptions(c, 'CreateOptions');
  if (options.kind === 'bad') return errorResponse(options.error);
  const { fieldValidation, dryRun } = options.value;
  const written = { resource: REQUEST, apiVersion: API_VERSION, type: REQUEST.kind };
  const sent = await readDocument(c, written, fieldValidation);
  if (sent.kind === 'bad') return errorResponse(sent.error);
  const read = readTokenRequest(sent.value.value, fieldValidation);
  if (read.kind === 'undecodable') return errorResponse(notAdmitted(REQUEST, read));
  const request = read.object;
  const misplaced = misplacedIn(request, namespace, name);
  if (misplaced !== null) return errorResponse(badRequest(misplaced));
  const account = await readAccount({ namespace, name }, deps.objects);
  if (account === null) return errorResponse(notFound(API_KINDS.ServiceAccount, name));
  const errors = tokenRequestErrors(request);
  if (errors.length > 0) return errorResponse(invalidObject(REQUEST, '', errors));
  const pod = await boundPod(request, namespace, name, deps);
  if (pod.kind === 'refused') return errorResponse(pod.error);
  const { audiences = [], expirationSeconds: lifeSec = USUAL_LIFE_SEC } = request.spec ?? {};
  const owner = { name, uid: account.document.metadata.uid };
  const wanted = { namespace, account: owner, pod: pod.bound, audiences, lifeSec };
  const claims = claimsOf(wanted, Math.floor(deps.clock.now() / 1000), deps.newUid());
  const object = {
    kind: REQUEST.kind,
    apiVersion: API_VERSION,
    metadata: { name, namespace, creationTimestamp: asTime(deps.clock.now()) },
    spec: { ...request.spec, audiences: claims.aud, expirationSeconds: lifeSec },
    status: {
      token: dryRun ? '' : await accountTokens.sign(claims),
      expirationTimestamp: asTime(asEpochMs(claims.exp * 1000)),
    },
  };
  return withWarnings(jsonAnswer(c, object, 201), [...sent.value.warnings, ...read.warnings]);
}

/** In upstream's words (pkg/registry/core/serviceaccount/storage/token.go), as all refusals of this file. */
function misplacedIn({ metadata }: TokenRequest, namespace: string, account: string): string | null {
  const { name = '', namespace: home = '' } = metadata ?? {};
  if (name !== '' && name !== account) return 'the name in the request does not match the service account name';
  return home === '' || home === namespace
    ? null
    : 'the namespace of the provided object does not match the namespace sent on the request';
}

type BoundPod =
  | { readonly kind: 'ok'; readonly bound: Bound | null }
  | { readonly kind: 'refused'; readonly error: StatusError };

async function boundPod({ spec }: TokenRequest, namespace: string, account: string, deps: ApiDeps): Promise<BoundPod> {
  if (spec?.boundObjectRef === undefined) return { kind: 'ok', bound: null };
  const { name = '', uid: wanted = '' } = spec.boundObjectRef;
  const found = await findPod(namespace, name, deps);
  if (found === null) return { kind: 'refused', error: notFound(API_KINDS.Pod, name) };
  const { uid } = found.pod.metadata;
  if (wanted !== '' && wanted !== uid) {
    const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
    return { kind: 'refused', error: conflict(API_KINDS.Pod, name, why) };
  }
  const own = found.pod.spec.serviceAccountName ?? 'default';
  if (own === account) return { kind: 'ok', bound: { name, uid } };
  const why = `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`;
  return { kind: 'refused', error: badRequest(why) };
}
