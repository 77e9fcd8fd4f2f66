import type { Context } from 'hono';
import type { Attributes } from '../../domain/callers/attributes.ts';
import type { FloatNumber } from '../../schema/text/json-text.ts';
import { KINDS } from '../../schema/kinds/kinds.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { refusalOf } from '../http/authorizer.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { describeConflicts } from '../apply/apply-conflicts.ts';
import { applyConfiguration } from '../apply/apply.ts';
import { floatsPut, refusedFloats } from '../patch/float-fields.ts';
import { type PatchKind, patchDocument } from '../patch/patch-document.ts';
import { type Body, readText } from '../http/request-body.ts';
import {
  type Resource,
  type StatusError,
  applyConflict,
  badRequest,
  errorResponse,
  inapplicablePatch,
  unsupportedMediaType,
} from '../http/status-error.ts';
import { type Changed, type ChangeDecision, changeObject, metadataOf, whoWrites } from './change-object.ts';
import { storeNew } from './create-object.ts';
import { toldReason } from './read-document.ts';
import { notAdmitted } from './refused-write.ts';
import { withWarnings } from '../http/warnings.ts';
import {
  type StrictFaults,
  faultsOfConfiguration,
  faultsOfPatch,
  hasFaults,
  refusedConfiguration,
  refusedStrictly,
  warningsOf,
  withUnknownOf,
} from './strict-reading.ts';
import type { Changeable, FoundObject, ObjectName } from './writable-kind.ts';
import { type WriteOptions, type WriteRequest, writeOptions } from './write-options.ts';

const PATCHES: ReadonlyMap<string, PatchKind | 'apply'> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/apply-patch+yaml', 'apply'],
  ['application/strategic-merge-patch+json', 'strategic'],
]);

/** Answers `PATCH`: each of Kubernetes' four kinds, by Content-Type. */
export async function patchObject<F extends FoundObject, A>(
  c: Context,
  kind: Changeable<F, A>,
  key: ObjectName,
  show: (object: KubeObject, code: 200 | 201) => Response,
  deps: ApiDeps,
): Promise<Response> {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  const patch = PATCHES.get(type.trim().toLowerCase());
  if (patch === undefined) return errorResponse(unsupportedMediaType([...PATCHES.keys()]));
  const options = writeOptions(c, 'PatchOptions', patch === 'apply');
  if (options.kind === 'bad') return errorResponse(options.error);
  const body = await readText(c, patch === 'apply' ? 'yaml' : 'json', kind.resource.bodyBytesMax);
  if (body.kind === 'refused') return errorResponse(body.error);
  const request = { ...options.value, user: deps.callerOf(c) };
  const sent = contentOf(kind.resource, body.kind === 'empty' ? null : body, patch, options.value);
  if (sent.kind === 'bad') return errorResponse(sent.error);
  const { value, refused, warnings } = sent;
  if (patch === 'apply' && refused !== null) return errorResponse(badRequest(refusedConfiguration(refused)));
  const changed =
    patch === 'apply'
      ? await apply(c, kind, key, value, request, deps)
      : await changeObject(kind, key, patching(kind, patch, sent), request, deps);
  if (changed.kind === 'refused') return errorResponse(changed.error);
  return withWarnings(show(changed.object, changed.isNew ? 201 : 200), [...warnings, ...changed.warnings]);
}

/** A patch as JSON. `refused`: what strict decoding finds in it, if that is an error. */
type Sent = {
  readonly value: unknown;
  readonly floats: readonly FloatNumber[];
  readonly refused: StrictFaults | null;
  readonly warnings: readonly string[];
};

/** The contents of a body; what strict decoding finds in it is refused or reported, as in an object. */
function contentOf(
  resource: Resource,
  body: Extract<Body, { readonly kind: 'read' }> | null,
  patch: PatchKind | 'apply',
  { fieldValidation }: WriteOptions,
): ({ readonly kind: 'ok' } & Sent) | { readonly kind: 'bad'; readonly error: StatusError } {
  if (body === null) return { kind: 'bad', error: badRequest('the body of a patch must not be empty') };
  const { document, text } = body;
  if (document.kind === 'unreadable')
    return { kind: 'bad', error: badRequest(`error decoding patch: ${toldReason(resource, document.reason)}`) };
  const { value, floats = [] } = document;
  const faults =
    patch === 'apply' ? faultsOfConfiguration(document) : faultsOfPatch(patch === 'json', document, text?.text ?? '');
  return {
    kind: 'ok',
    value,
    floats,
    refused: fieldValidation === 'Strict' && hasFaults(faults) ? faults : null,
    warnings: fieldValidation === 'Warn' ? warningsOf(faults) : [],
  };
}

/** The result of a patch on an object. */
function patching<F extends FoundObject, A>(
  kind: Changeable<F, A>,
  patch: PatchKind,
  { value, floats, refused: faults }: Sent,
): ChangeDecision<F> {
  const { type, resource } = kind;
  return ({ object }) => {
    const patched = patchDocument(KINDS, type, object, patch, value);
    if (patched.kind !== 'patched') return { kind: 'refused', error: inapplicablePatch(patched, resource) };
    const { document } = patched;
    const refused =
      refusedFloats(kind, floatsPut(patch, value, floats)) ??
      (faults === null ? null : refusedStrictly(kind, withUnknownOf(type, document, faults)));
    if (refused !== null) return { kind: 'refused', error: notAdmitted(resource, refused, value) };
    return { kind: 'wish', wanted: { document, patch: value } };
  };
}

/** Server-side apply: the object is created if it does not exist. */
async function apply<F extends FoundObject, A>(
  c: Context,
  kind: Changeable<F, A>,
  key: ObjectName,
  config: unknown,
  options: WriteRequest,
  deps: ApiDeps,
): Promise<Changed> {
  const misplaced = misplacement(kind, key, config);
  if (misplaced !== null) return { kind: 'refused', error: badRequest(misplaced) };
  const who = () => ({ ...whoWrites(kind, options, deps), force: options.force });
  // A status does not exist without its object.
  if (kind.subresource === undefined && (await kind.find(key, false)) === null) {
    const refusal = await refusalOf(c, creationOf(kind.resource, key), deps);
    if (refusal !== null) return { kind: 'refused', error: refusal };
    const applied = applyConfiguration(KINDS, kind.type, null, config, [], who());
    if (applied.kind !== 'applied') return { kind: 'refused', error: notApplied(applied) };
    const { namespace, name } = key;
    const stored = await storeNew(
      kind,
      applied.document,
      { namespace, name, isNamed: true },
      options,
      deps,
      () => applied.entries,
    );
    if (stored.kind === 'stored')
      return { kind: 'ok', object: stored.created.object, warnings: stored.warnings, isNew: true };
    // Another client has just created it: apply to that one.
    const isTaken = stored.error.reason === 'AlreadyExists' && (await kind.find({ namespace, name }, false)) !== null;
    if (!isTaken) return { kind: 'refused', error: stored.error };
  }
  return changeObject(
    kind,
    key,
    ({ object }) => {
      const entries = object.metadata.managedFields ?? [];
      const applied = applyConfiguration(KINDS, kind.type, object, config, entries, who());
      if (applied.kind !== 'applied') return { kind: 'refused', error: notApplied(applied) };
      return { kind: 'wish', wanted: { document: applied.document, managedFields: () => applied.entries } };
    },
    options,
    deps,
  );
}

/** Who applies what does not exist must be allowed to create it, too, as in Kubernetes. */
function creationOf({ group, plural: resource }: Resource, { namespace, name }: ObjectName): Attributes {
  const isNamespace = group === '' && resource === 'namespaces';
  const place = { namespace: isNamespace ? name : namespace, name };
  return { kind: 'resource', verb: 'create', group, resource, subresource: '', ...place };
}

const notApplied = (
  applied: Exclude<ReturnType<typeof applyConfiguration>, { readonly kind: 'applied' }>,
): StatusError =>
  applied.kind === 'bad' ? badRequest(applied.message) : applyConflict(describeConflicts(applied.conflicts));

/** A configuration names its object, which must be this one. */
function misplacement<F extends FoundObject, A>(
  { apiVersion, resource }: Changeable<F, A>,
  { namespace, name }: ObjectName,
  config: unknown,
): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    return 'a configuration to apply must be an object';
  const given: { readonly apiVersion?: unknown; readonly kind?: unknown } = config;
  if (given.apiVersion !== apiVersion || given.kind !== resource.kind)
    return `apiVersion and kind must be ${JSON.stringify(apiVersion)} and ${JSON.stringify(resource.kind)}`;
  const metadata = metadataOf(config);
  const { name: ownName = '', namespace: ownNamespace = '' } = metadata;
  if (ownName !== '' && ownName !== name)
    return `the name of the object (${String(ownName)}) does not match the name on the URL (${name})`;
  return ownNamespace === '' || namespace === '' || ownNamespace === namespace
    ? null
    : 'the namespace of the provided object does not match the namespace sent on the request';
}
