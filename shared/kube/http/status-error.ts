import { NAMINGS } from '../../domain/manifests/annotations/lists.ts';
import type { Patched } from '../patch/patch-outcome.ts';
import type { Attributes } from '../../domain/callers/attributes.ts';
import { type ApiKind, ofGroup } from '../../domain/kinds/api-kind.ts';
import type { UnreadableRow } from '../../domain/base/unreadable-row.ts';
import {
  type FieldError,
  REDACTED,
  causeReason,
  briefly,
  fieldErrorText,
  firstFaults,
} from '../../schema/object/field-error.ts';

/** A kind of object as messages and `details` name it. */
export type Resource = Pick<ApiKind, 'group' | 'plural' | 'kind' | 'isConfidential' | 'bodyBytesMax' | 'showsDeleted'>;

/** `jobs.batch`, `pods`. */
const qualified = (resource: Pick<Resource, 'group' | 'plural'>): string => ofGroup(resource.plural, resource);

export type Cause = { readonly reason: string; readonly message: string; readonly field: string };

/** Kubernetes' `metav1.Status`: the answer to every failed request, in its words, which clients print. */
export type StatusError = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly causes?: readonly Cause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code: number;
};

const failure = (code: number, reason: string, message: string, details?: StatusError['details']): StatusError => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});

const about = ({ group, plural }: Resource, name: string) => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: plural,
});

export const notFound = (resource: Resource, name: string): StatusError =>
  failure(404, 'NotFound', `${qualified(resource)} "${name}" not found`, about(resource, name));

/** A path without a route. */
export const noSuchPath = (message = 'the server could not find the requested resource'): StatusError =>
  failure(404, 'NotFound', message, {});

export const alreadyExists = (resource: Resource, name: string): StatusError =>
  failure(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, about(resource, name));

/** As Kubernetes says it of a name that is free as soon as what has it is gone. */
export const beingDeleted = (resource: Resource, name: string): StatusError =>
  failure(
    409,
    'AlreadyExists',
    `object is being deleted: ${qualified(resource)} "${name}" already exists`,
    about(resource, name),
  );

export const conflict = (resource: Resource, name: string, why: string): StatusError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    about(resource, name),
  );

export const badRequest = (message: string, causes: readonly Cause[] = []): StatusError =>
  failure(400, 'BadRequest', message, causes.length === 0 ? undefined : { causes });

export const methodNotAllowed = (
  message = 'the server does not allow this method on the requested resource',
): StatusError => failure(405, 'MethodNotAllowed', message, {});

export const forbidden = (message: string): StatusError => failure(403, 'Forbidden', message, {});

/** An object that must not be changed like this, by any client. */
export const forbiddenObject = (
  resource: Resource,
  name: string,
  why: string,
  causes: readonly Cause[] = [],
): StatusError =>
  failure(403, 'Forbidden', `${qualified(resource)} "${name}" is forbidden: ${why}`, {
    ...about(resource, name),
    ...(causes.length === 0 ? {} : { causes }),
  });

/** A call that its user may not make (`NewForbidden` of apimachinery, as apiserver's responsewriters use it). */
export function notAuthorized(wanted: Attributes, why: string): StatusError {
  if (wanted.kind === 'path') return forbidden(`forbidden: ${why}`);
  const { group, resource: plural, name } = wanted;
  const which = name === '' ? '' : ` ${JSON.stringify(name)}`;
  return failure(403, 'Forbidden', `${qualified({ group, plural })}${which} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
  });
}

/** Nothing can be created in a namespace that is being deleted (the NamespaceLifecycle admission plugin's words). */
export const namespaceTerminating = (resource: Resource, name: string, namespace: string): StatusError =>
  forbiddenObject(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );

export const expired = (message: string): StatusError => failure(410, 'Expired', message);

export const tooLarge = (bytesMax: number): StatusError =>
  failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${bytesMax}; ${SMALLER}`, {});

/** What does not fit into a row even when it is compressed. */
export const objectTooLarge = ({
  bytes,
  bytesMax,
}: {
  readonly bytes: number;
  readonly bytesMax: number;
}): StatusError =>
  failure(
    413,
    'RequestEntityTooLarge',
    `the object takes ${bytes} bytes compressed, and may take ${bytesMax}; leave out what can be made again, or split it into several`,
    {},
  );

/** kubectl's client-side apply puts the whole manifest into an annotation, so it sends it twice. */
const SMALLER = [
  'kubectl apply sends a manifest twice: try kubectl apply --server-side, or kubectl create',
  ...NAMINGS.map(({ names }) => `a long list of items fits into a ${names}`),
].join('; ');

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    {},
  );

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure(429, 'TooManyRequests', message, { retryAfterSeconds });

/** A list that must be newer than anything stored. */
export const versionAhead = (version: number, head: number): StatusError =>
  failure(504, 'Timeout', `Timeout: Too large resource version: ${version}, current: ${head}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    retryAfterSeconds: 1,
  });

export const internalError = (message: string): StatusError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ reason: 'InternalError', message, field: '' }],
  });

/**
 * Rows that the request needs cannot be decoded: Kubernetes' StatusReasonStoreReadError (KEP-3926), with the keys as causes. It
 * comes again until somebody does what the message says.
 */
export function storageReadError(rows: readonly UnreadableRow[]): StatusError {
  const more = rows.length === 1 ? '' : ` (and ${rows.length - 1} more)`;
  return failure(500, 'StorageReadError', `failed to read from the storage: ${rows[0]?.message ?? ''}${more}`, {
    causes: rows.map(({ key, message }) => ({ reason: 'UnexpectedServerResponse', message, field: key })),
  });
}

/** What is asked for is stored in a format of a later release: this one answers while a deployment replaces it, or after a rollback. */
export const laterRelease = (): StatusError =>
  failure(
    503,
    'ServiceUnavailable',
    'the server is currently unable to handle the request: what it asks for was stored by a later release of Muster',
    { retryAfterSeconds: LATER_RELEASE_AFTER_SEC },
  );
/** Functions are replaced one by one, within minutes. */
const LATER_RELEASE_AFTER_SEC = 10;

/** What the request needs is not there, until somebody sees to it. */
export const unavailable = (message: string): StatusError =>
  failure(503, 'ServiceUnavailable', `the server is currently unable to handle the request: ${message}`, {});

/** The store accepts no writes; Kubernetes has no such reason, because etcd has its own disk. */
export const insufficientStorage = (message: string): StatusError =>
  failure(507, 'InsufficientStorage', `nothing can be stored: ${message}`);

/** What is wrong with an object, the first hundred faults each with its path: kubectl prints the causes, one per line. */
export function invalidObject(
  { group, kind, isConfidential }: Resource,
  name: string,
  all: readonly FieldError[],
): StatusError {
  const { told, more } = firstFaults(all);
  const errors = isConfidential === true ? told.map(withoutValue) : told;
  const sentences = errors.map((fieldError) => `${briefly(fieldError.path)}: ${fieldErrorText(fieldError)}`);
  if (more > 0) sentences.push(`and ${more} more`);
  const listed = sentences.length === 1 ? (sentences[0] ?? '') : `[${sentences.join(', ')}]`;
  return failure(422, 'Invalid', `${ofGroup(kind, { group })} "${name}" is invalid: ${listed}`, {
    name,
    ...(group === '' ? {} : { group }),
    kind,
    causes: errors.map((fieldError) => ({
      reason: causeReason(fieldError.kind),
      message: fieldErrorText(fieldError),
      field: briefly(fieldError.path),
    })),
  });
}

/** A patch may have put any value in any place. Keys are no values. */
function withoutValue(fieldError: FieldError): FieldError {
  const { path, value } = fieldError;
  const isKey = typeof value === 'string' && path.endsWith(`[${value}]`);
  return value === undefined || isKey ? fieldError : { ...fieldError, value: REDACTED };
}

/** A patch that cannot be applied to this object (422), or to any (400, 413). Kubernetes does not name the object. */
export function inapplicablePatch(
  patched: Exclude<Patched, { readonly kind: 'patched' }>,
  { isConfidential }: Pick<Resource, 'isConfidential'>,
): StatusError {
  switch (patched.kind) {
    case 'bad':
      // Kubernetes' words cite the patch.
      return badRequest(isConfidential === true ? `it is no patch of this object: ${REDACTED}` : patched.message);
    case 'tooLarge':
      return failure(413, 'RequestEntityTooLarge', patched.message, {});
    case 'inapplicable':
      return failure(422, 'Invalid', patched.message, patched.causes === undefined ? {} : { causes: patched.causes });
  }
}

/** Fields that others manage: server-side apply takes them only if forced. */
export const applyConflict = ({
  message,
  causes,
}: {
  readonly message: string;
  readonly causes: readonly Cause[];
}): StatusError => failure(409, 'Conflict', message, { causes });

/** An object was deleted, and there is nothing else to say. */
export const successStatus = (resource: Resource, name: string, uid: string | null) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  ...(uid === null ? {} : { details: { ...about(resource, name), uid } }),
});

/** The answer that carries it. */
export function errorResponse(error: StatusError): Response {
  const seconds = error.details?.retryAfterSeconds;
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return Response.json(error, { status: error.code, headers });
}
