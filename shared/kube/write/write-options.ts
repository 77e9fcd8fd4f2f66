import type { Context } from 'hono';
import { type Fault, invalid, notSupported, required } from '../../schema/fault.ts';
import type { FieldValidation } from '../../schema/read-object.ts';
import { flagOf } from '../query.ts';
import { type StatusError, invalidObject } from '../status-error.ts';

export type WriteOptions = {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** Who writes: `fieldManager`, or the client's program. */
  readonly manager: string;
  readonly force: boolean;
};

export type Read<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'bad'; readonly error: StatusError };

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

const MANAGER_CHARS_MAX = 128;
const VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Strict', 'Warn'];

/**
 * The options of a write, from its query (Kubernetes' `ValidateCreateOptions` and its likes). Where a client does not
 * say what becomes of unknown fields, they are refused: nothing is ignored unless somebody asks for it.
 */
export function writeOptions(c: Context, kind: OptionsKind, isApply = false): Read<WriteOptions> {
  const { fieldManager = '', fieldValidation: asked = '', force: forced } = c.req.query();
  const fieldValidation = asked === '' ? 'Strict' : VALIDATIONS.find((each) => each === asked);
  const dryRun = c.req.queries('dryRun') ?? [];
  const faults: Fault[] = [];
  if (isApply && fieldManager === '') faults.push(required('fieldManager', 'is required for apply patch'));
  if (!isApply && kind === 'PatchOptions' && flagOf(forced))
    faults.push({ path: 'force', kind: 'Forbidden', message: 'may not be specified for non-apply patch' });
  for (const fault of managerFaults(fieldManager)) faults.push(invalid('fieldManager', fieldManager, fault));
  if (dryRun.some((value) => value !== 'All')) faults.push(notSupported('dryRun', dryRun, ['All']));
  if (fieldValidation === undefined) faults.push(notSupported('fieldValidation', asked, VALIDATIONS));
  if (faults.length > 0 || fieldValidation === undefined)
    return { kind: 'bad', error: invalidObject({ group: 'meta.k8s.io', plural: '', kind }, '', faults) };
  const manager = fieldManager === '' ? programOf(c.req.header('user-agent')) : fieldManager;
  return { kind: 'ok', value: { dryRun: dryRun.length > 0, fieldValidation, manager, force: flagOf(forced) } };
}

function managerFaults(manager: string): readonly string[] {
  if (manager.length > MANAGER_CHARS_MAX) return [`may not be more than ${MANAGER_CHARS_MAX} bytes`];
  return /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager) ? ['should only contain printable characters'] : [];
}

/** As Kubernetes names a client that does not name itself: the program's name, without its version. */
function programOf(userAgent = ''): string {
  const [program = ''] = userAgent.split('/', 1);
  return program.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, MANAGER_CHARS_MAX) || 'unknown';
}
