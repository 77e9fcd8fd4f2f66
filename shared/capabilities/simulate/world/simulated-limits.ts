import { createJobCommands } from '../../../control/lifecycle/job-changes.ts';
import { createQuotaCommands } from '../../../control/quota/quota-changes.ts';
import { at } from '../../../kube/list/stored-field.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { forbiddenObject } from '../../../kube/http/status-error.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { type FieldError, fieldErrorText } from '../../../schema/object/field-error.ts';
import { type PlainAdmission, type PlainManifest, admitPlain } from '../../../schema/object/plain-admission.ts';
import { LIMIT_RANGE_FORM } from '../../../schema/quota/limit-range-form.ts';
import { QUOTA_FORM } from '../../../schema/quota/quota-form.ts';
import type { ScriptError } from './script.ts';
import { VirtualWorld } from './virtual-world.ts';

/** What may stand beside a simulated Job and limits its namespace. */
export const isLimit = (document: unknown): boolean =>
  at(document, 'apiVersion') === 'v1' && ['ResourceQuota', 'LimitRange'].includes(String(at(document, 'kind')));

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
  return at(document, 'kind') === 'LimitRange'
    ? admitPlain(LIMIT_RANGE_FORM, document, context)
    : admitPlain(QUOTA_FORM, document, context);
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
  for (const { kind, apiVersion, metadata, content } of limits) {
    const { name } = metadata;
    const document = { apiVersion, kind, metadata: { ...metadata, uid: `${kind}-${name}` }, ...content };
    const stored = kind === 'LimitRange' ? 'LimitRange' : 'ResourceQuota';
    await deps.objects.commit(stored, { key: { namespace, name }, was: 0, document });
  }
  if (limits.length > 0) await createQuotaCommands(deps).count(namespace);
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
