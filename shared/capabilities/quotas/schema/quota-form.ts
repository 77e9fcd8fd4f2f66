import * as z from 'zod';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { parseQuantity } from '../../../domain/base/quantity.ts';
import { QUOTA_KEYS, type QuotaKey, amountOf, isQuotaKey, isRequested } from '../domain/quota-keys.ts';
import { LEDGER_FIELD } from '../../../domain/manifests/ledger-field.ts';
import { type FieldError, invalid, notSupported } from '../../../schema/object/field-error.ts';
import { known, opt, quantities, text } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { nameErrors } from '../../../schema/object/object-name.ts';
import type { PlainForm } from '../../../schema/object/plain-admission.ts';
import { sweep } from '../../../schema/object/refused-fields.ts';

const specShape = z.strictObject({ hard: quantities, ...known('scopes', 'scopeSelector') });
type SpecShape = z.output<typeof specShape>;

export const QuotaShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(specShape),
  // Nobody sets it here; a client may send back what it has read.
  status: opt(z.strictObject(known('hard', 'used'))),
});

/**
 * A ResourceQuota (`ValidateResourceQuota`). What is not counted here is refused: a limit that nobody enforces would be worse than
 * none. What has been counted, and what is reserved, is the server's.
 */
export const QUOTA_FORM: PlainForm<z.output<typeof QuotaShape>> = {
  resource: API_KINDS.ResourceQuota,
  shape: QuotaShape,
  serverFields: { names: ['status', LEDGER_FIELD], initially: { status: {} } },
  nameErrors,
  contentErrors: ({ spec = NO_SPEC }) => specErrors(spec),
  changeErrors: () => [],
  contentOf: ({ spec: { hard = {} } = NO_SPEC }) => ({ spec: Object.keys(hard).length === 0 ? {} : { hard } }),
};

const NO_SPEC: SpecShape = specShape.parse({});

const scopeErrors = sweep(
  ['scopes', 'scopeSelector'].map((path) => ({ path, instead: 'a quota counts all Jobs of its namespace' })),
);

const specErrors = (spec: SpecShape): readonly FieldError[] => [
  ...Object.entries(spec.hard ?? {}).flatMap(([key, value]) => hardErrors(key, value, spec.hard ?? {})),
  ...scopeErrors('spec', spec),
];

function hardErrors(key: string, value: string, hard: Readonly<Record<string, string>>): readonly FieldError[] {
  const path = `spec.hard[${key}]`;
  if (!isQuotaKey(key)) return [notSupported(path, key, QUOTA_KEYS)];
  const quantity = parseQuantity(value);
  if (quantity === null) return [invalid(path, value, 'write a quantity such as 10, 500m, or 2Gi')];
  if (quantity < 0) return [invalid(path, value, 'must be greater than or equal to 0')];
  if (!isRequested(key) && !Number.isInteger(quantity)) return [invalid(path, value, 'must be an integer')];
  return limitErrors(path, key, value, hard);
}

const LIMITED = { 'limits.cpu': ['requests.cpu', 'cpu'], 'limits.memory': ['requests.memory', 'memory'] } as const;

/** A task has one size, which is what it gets and all that it may use: a limit of its own would count nothing. */
function limitErrors(
  path: string,
  key: QuotaKey,
  value: string,
  hard: Readonly<Record<string, string>>,
): readonly FieldError[] {
  if (key !== 'limits.cpu' && key !== 'limits.memory') return [];
  const [requests, short] = LIMITED[key];
  const requested = hard[requests] ?? hard[short];
  return requested !== undefined && amountOf(key, requested) === amountOf(key, value)
    ? []
    : [
        invalid(
          path,
          value,
          `must be the same as spec.hard[${requests}]: both count the size of the task, which is all that it may use`,
        ),
      ];
}
