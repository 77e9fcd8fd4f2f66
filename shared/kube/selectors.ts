import type { Labels } from '../domain/manifest.ts';
import { type Parsed, bad, ok } from './query.ts';

export type LabelSelector = {
  matches(labels: Labels): boolean;
  /** The one value that `key` must have, if the selector says so: then there is no need to look at everything. */
  exact(key: string): string | undefined;
};

type Requirement =
  | { readonly key: string; readonly op: 'in' | 'notIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly op: 'exists' | 'missing' };

const KEY = '[A-Za-z0-9][-A-Za-z0-9_./]*';
const FORMS = {
  compare: new RegExp(`^(${KEY})\\s*(=|==|!=)\\s*([-A-Za-z0-9_.]*)$`),
  set: new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([-A-Za-z0-9_.,\\s]*)\\)$`),
  exists: new RegExp(`^(!?)\\s*(${KEY})$`),
};

/** Reads a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function parseLabelSelector(text: string | undefined): Parsed<LabelSelector> {
  const requirements: Requirement[] = [];
  // Commas within brackets separate values, not requirements.
  for (const part of (text ?? '').split(/,(?![^(]*\))/)) {
    if (part.trim() === '') continue;
    const requirement = parseRequirement(part.trim());
    if (requirement === null) return bad(`unable to parse requirement: ${JSON.stringify(part)}`);
    requirements.push(requirement);
  }
  return ok({
    matches: (labels) => requirements.every((requirement) => meets(requirement, labels)),
    exact: (key) => {
      const found = requirements.find((r) => r.key === key && r.op === 'in' && r.values.length === 1);
      return found?.op === 'in' ? found.values[0] : undefined;
    },
  });
}

function parseRequirement(text: string): Requirement | null {
  const compare = FORMS.compare.exec(text);
  if (compare?.[1] !== undefined)
    return { key: compare[1], op: compare[2] === '!=' ? 'notIn' : 'in', values: [compare[3] ?? ''] };
  const set = FORMS.set.exec(text);
  if (set?.[1] !== undefined)
    return {
      key: set[1],
      op: set[2] === 'in' ? 'in' : 'notIn',
      values: (set[3] ?? '').split(',').map((value) => value.trim()),
    };
  const exists = FORMS.exists.exec(text);
  return exists?.[2] === undefined ? null : { key: exists[2], op: exists[1] === '!' ? 'missing' : 'exists' };
}

function meets(requirement: Requirement, labels: Labels): boolean {
  const value = labels[requirement.key];
  if (!('values' in requirement)) return (value !== undefined) === (requirement.op === 'exists');
  const listed = value !== undefined && requirement.values.includes(value);
  return requirement.op === 'in' ? listed : !listed;
}

/** Fields of an object that a field selector may name. */
export type FieldSelector<F extends string> = {
  matches(fields: Readonly<Record<F, string>>): boolean;
  exact(field: F): string | undefined;
};

/** Reads a field selector over the fields that are supported; others are refused, never ignored. */
export function parseFieldSelector<const F extends string>(
  text: string | undefined,
  supported: readonly F[],
): Parsed<FieldSelector<F>> {
  const terms: { readonly field: F; readonly equal: boolean; readonly value: string }[] = [];
  for (const part of (text ?? '').split(',')) {
    if (part.trim() === '') continue;
    const [, name = '', op = '', value = ''] = /^\s*([A-Za-z.]+)\s*(==|=|!=)\s*(\S*)\s*$/.exec(part) ?? [];
    const field = supported.find((each) => each === name);
    if (field === undefined) return bad(`field label not supported: ${name === '' ? part : name}`);
    terms.push({ field, equal: op !== '!=', value });
  }
  return ok({
    matches: (fields) => terms.every(({ field, equal, value }) => (fields[field] === value) === equal),
    exact: (field) => terms.find((term) => term.field === field && term.equal)?.value,
  });
}
