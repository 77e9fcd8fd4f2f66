import type { User } from '../../domain/callers/user.ts';
import type { Context } from 'hono';
import { type FieldError, invalid, notSupported, required } from '../../schema/object/field-error.ts';
import type { FieldValidation } from '../../schema/object/read-object.ts';
import { flagOf } from '../http/query.ts';
import { type StatusError, invalidObject } from '../http/status-error.ts';

export type WriteOptions = {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /** The writer: `fieldManager`, or the client's program. */
  readonly manager: string;
  readonly force: boolean;
};

export type Read<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'bad'; readonly error: StatusError };

/** The options of a write, and who sends it. */
export type WriteRequest = WriteOptions & { readonly user: User };

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

const MANAGER_CHARS_MAX = 128;
const VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Strict', 'Warn'];

/**
 * The options of a write, from its query (Kubernetes' `ValidateCreateOptions` and the like). A client that does not say how to
 * treat unknown fields gets a warning for each (`Warn`, as in Kubernetes): it may be a program whose template no user wrote.
 */
export function writeOptions(c: Context, kind: OptionsKind, isApply = false): Read<WriteOptions> {
  const { fieldManager = '', fieldValidation: asked = '', force: forced } = c.req.query();
  const fieldValidation = asked === '' ? 'Warn' : VALIDATIONS.find((each) => each === asked);
  const dryRun = c.req.queries('dryRun') ?? [];
  const errors: FieldError[] = [];
  if (isApply && fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (!isApply && kind === 'PatchOptions' && flagOf(forced))
    errors.push({ path: 'force', kind: 'Forbidden', message: 'may not be specified for non-apply patch' });
  for (const fieldError of managerErrors(fieldManager)) errors.push(invalid('fieldManager', fieldManager, fieldError));
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  if (fieldValidation === undefined) errors.push(notSupported('fieldValidation', asked, VALIDATIONS));
  if (errors.length > 0 || fieldValidation === undefined)
    return { kind: 'bad', error: invalidObject({ group: 'meta.k8s.io', plural: '', kind }, '', errors) };
  const manager = fieldManager === '' ? programOf(c.req.header('user-agent')) : fieldManager;
  return { kind: 'ok', value: { dryRun: dryRun.length > 0, fieldValidation, manager, force: flagOf(forced) } };
}

function managerErrors(manager: string): readonly string[] {
  if (manager.length > MANAGER_CHARS_MAX) return [`may not be more than ${MANAGER_CHARS_MAX} bytes`];
  return /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager) ? ['should only contain printable characters'] : [];
}

/** Kubernetes' name for a client that does not name itself: the program's name, without its version. */
function programOf(userAgent = ''): string {
  const [program = ''] = userAgent.split('/', 1);
  return program.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').slice(0, MANAGER_CHARS_MAX) || 'unknown';
}
