import { NAMESPACE_LIMITS } from '../../lists/namespace-limits.ts';
import { CAPABILITY_SWEEPS } from '../../lists/sweeps.ts';
import { createJobCommands } from '../../../control/lifecycle/job-changes.ts';
import { at } from '../../../kube/list/stored-field.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { apiVersionOf } from '../../../domain/kinds/api-kind.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { forbiddenObject } from '../../../kube/http/status-error.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { type FieldError, fieldErrorText } from '../../../schema/object/field-error.ts';
import type { NamespaceLimit } from '../../../schema/namespace/namespace-limit.ts';
import type { PlainAdmission, PlainManifest } from '../../../schema/object/plain-admission.ts';
import type { ScriptError } from './script.ts';
import { VirtualWorld } from './virtual-world.ts';

/** Whether it may stand beside a simulated Job, and limits its namespace. */
export const isLimit = (document: unknown): boolean => limitOf(document) !== undefined;

function limitOf(document: unknown): NamespaceLimit | undefined {
  const [apiVersion, kind] = [at(document, 'apiVersion'), at(document, 'kind')];
  return NAMESPACE_LIMITS.find(({ name }) => {
    const row = API_KINDS[name];
    return apiVersion === apiVersionOf(row) && kind === row.kind;
  });
}

/** The kind of a document that is one of them. */
function kindOf(document: unknown): NamespaceLimit {
  const limit = limitOf(document);
  invariant(limit !== undefined, 'what is given as a limit is one');
  return limit;
}

type Found =
  | { readonly kind: 'ok'; readonly limits: readonly PlainManifest[] }
  | { readonly kind: 'refused'; readonly errors: readonly ScriptError[] };

/** Admits the quotas and LimitRanges that stand beside a Job as the API would. */
export function findSimulatedLimits(documents: readonly unknown[], namespace: string): Found {
  const admissions = documents.map((document) => ({ document, admission: admitOne(document, namespace) }));
  const errors = admissions.flatMap(({ document, admission }) => errorsOf(String(at(document, 'kind')), admission));
  const limits = admissions.flatMap(({ admission }) => (admission.kind === 'ok' ? [admission.manifest] : []));
  return errors.length > 0 ? { kind: 'refused', errors } : { kind: 'ok', limits };
}

function admitOne(document: unknown, namespace: string): PlainAdmission {
  const context = { namespace, nameSuffix: '', fieldValidation: 'Strict' } as const;
  return kindOf(document).admit(document, context);
}

function errorsOf(kind: string, admission: PlainAdmission): readonly ScriptError[] {
  if (admission.kind === 'ok') return [];
  if (admission.kind === 'undecodable') return [{ path: '', message: `${kind}: ${admission.message}` }];
  return admission.errors.map((each) => ({ path: `${kind} ${each.path}`, message: fieldErrorText(each) }));
}

/** Stores them where nothing is used yet. */
export async function storeSimulatedLimits(
  limits: readonly PlainManifest[],
  namespace: string,
  { deps }: VirtualWorld,
): Promise<void> {
  for (const limit of limits) {
    const { kind, apiVersion, metadata, content } = limit;
    const { name } = metadata;
    const document = { apiVersion, kind, metadata: { ...metadata, uid: `${kind}-${name}` }, ...content };
    await deps.objects.commit(kindOf(limit).name, { key: { namespace, name }, was: 0, document });
  }
  if (limits.length > 0) for (const sweep of CAPABILITY_SWEEPS) await sweep(deps);
}

/** Why they would refuse the Job if it were created now, beside nothing else; empty: they would not. */
export async function limitErrors(
  spec: StoredSpec,
  limits: readonly PlainManifest[],
  open: (world: VirtualWorld) => Promise<void>,
): Promise<readonly ScriptError[]> {
  if (limits.length === 0) return [];
  const { namespace, name, createdAt } = spec.identity;
  const world = new VirtualWorld({
    start: createdAt,
    launchesPerSec: null,
    fate: () => {
      throw new Error('nothing is launched here');
    },
    committed: () => undefined,
  });
  await open(world);
  await storeSimulatedLimits(limits, namespace, world);
  const tried = await createJobCommands(world.deps).tryCreation(spec);
  if (tried.kind === 'forbidden')
    return [{ path: '', message: forbiddenObject(API_KINDS.Job, name, tried.why).message }];
  return tried.kind === 'invalid' ? tried.errors.map(scriptErrorOf) : [];
}

export const scriptErrorOf = (fieldError: FieldError): ScriptError => ({
  path: fieldError.path,
  message: fieldErrorText(fieldError),
});
