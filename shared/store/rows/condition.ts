import type { EpochMs } from '../../domain/base/time.ts';

/** What a write is conditional on. A comparison with a field that the row does not have does not hold, as in DynamoDB. */
export type Condition =
  | { readonly op: 'absent' }
  | { readonly op: 'exists' }
  | { readonly op: 'lacks'; readonly field: string }
  | { readonly op: '='; readonly field: string; readonly value: string | number }
  | { readonly op: '<' | '<=' | '>'; readonly field: string; readonly value: number }
  | { readonly op: 'AND' | 'OR'; readonly all: readonly Condition[] };

export const ABSENT: Condition = { op: 'absent' };
export const EXISTS: Condition = { op: 'exists' };
export const lacks = (field: string): Condition => ({ op: 'lacks', field });
export const is = (field: string, value: string | number): Condition => ({ op: '=', field, value });
export const below = (field: string, value: number): Condition => ({ op: '<', field, value });
export const both = (...all: readonly Condition[]): Condition => ({ op: 'AND', all });
export const either = (...all: readonly Condition[]): Condition => ({ op: 'OR', all });

/** The row is at this version, where 0 means that there is none yet. */
export const versionIs = (version: number): Condition => (version === 0 ? ABSENT : is('version', version));

/** The same for a row that expires: an expired one counts as missing. */
export function liveVersionIs(version: number, now: EpochMs): Condition {
  const sec = Math.floor(now / 1000);
  return version === 0
    ? either(ABSENT, { op: '<=', field: 'ttl', value: sec })
    : both(is('version', version), { op: '>', field: 'ttl', value: sec });
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether the condition holds for a row with these fields; null: there is no row. */
export function holds(condition: Condition, fields: Fields | null): boolean {
  switch (condition.op) {
    case 'absent':
      return fields === null;
    case 'exists':
      return fields !== null;
    case 'lacks':
      return fields?.[condition.field] === undefined;
    case 'AND':
      return condition.all.every((each) => holds(each, fields));
    case 'OR':
      return condition.all.some((each) => holds(each, fields));
    case '=':
    case '<':
    case '<=':
    case '>':
      return compares(condition.op, fields?.[condition.field], condition.value);
  }
}

function compares(op: '=' | '<' | '<=' | '>', value: unknown, other: string | number): boolean {
  if (typeof value === 'string' && typeof other === 'string') return op === '=' && value === other;
  if (typeof value !== 'number' || typeof other !== 'number') return false;
  if (op === '=') return value === other;
  if (op === '<') return value < other;
  return op === '<=' ? value <= other : value > other;
}
