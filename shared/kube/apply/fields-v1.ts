import { EMPTY, type FieldSet, branch, including } from './field-set.ts';
import { isObject } from '../patch/json-value.ts';

/** No tracked field is deeper. */
const LEVELS_MAX = 100;

export type ReadFields =
  | { readonly kind: 'read'; readonly set: FieldSet }
  | { readonly kind: 'malformed'; readonly why: string };

/** Parses FieldsV1, `{"f:spec":{"f:parallelism":{}}}`, as a set. Steps of unknown kinds are skipped, as upstream does. */
export function readFieldsV1(value: unknown): ReadFields {
  if (!isObject(value)) return malformed('expected a map of fields');
  try {
    return { kind: 'read', set: readNode(value, LEVELS_MAX) };
  } catch (error) {
    return malformed(error instanceof FieldsError ? error.message : 'unreadable');
  }
}

class FieldsError extends Error {}

function readNode(value: object, levels: number): FieldSet {
  if (levels === 0) throw new FieldsError(`nested deeper than ${LEVELS_MAX} levels`);
  const under: [string, FieldSet][] = [];
  let has = false;
  for (const [said, inner] of Object.entries(value) as [string, unknown][]) {
    if (!isObject(inner)) throw new FieldsError(`expected a map of fields under ${JSON.stringify(said)}`);
    if (said === '.') has = true;
    else {
      const step = canonicalStep(said);
      const set = readNode(inner, levels - 1);
      // Nothing below it: the field itself.
      if (step !== null) under.push([step, Object.keys(inner).length === 0 ? including(EMPTY) : set]);
    }
  }
  return branch(has, under);
}

/** A step with its JSON as we write it. null: of an unknown kind. */
function canonicalStep(said: string): string | null {
  if (said.length < 2) throw new FieldsError('key must be 2 characters long:');
  if (said.charAt(1) !== ':') throw new FieldsError(`missing colon: ${said}`);
  const text = said.slice(2);
  switch (said.charAt(0)) {
    case 'f':
      return said;
    case 'v':
      return `v:${JSON.stringify(parsed(text, said))}`;
    case 'i':
      if (!/^-?\d{1,15}$/.test(text)) throw new FieldsError(`not a number: ${said}`);
      return `i:${Number(text)}`;
    case 'k': {
      const keys = parsed(text, said);
      if (!isObject(keys)) throw new FieldsError(`keys must be a map: ${said}`);
      const sorted = Object.entries(keys).sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
      return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
    }
    default:
      return null;
  }
}

function parsed(text: string, step: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldsError(`not JSON: ${step}`);
  }
}

const malformed = (why: string): ReadFields => ({ kind: 'malformed', why });
