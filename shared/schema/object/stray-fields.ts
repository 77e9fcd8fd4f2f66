import { FAULTS_MAX, briefly, fieldPath } from './field-error.ts';

/** What is known of a value's fields; null: its contents are not looked at, because they have no fields of their own. */
export type Known = {
  readonly field: (name: string) => Known | null | 'unknown';
  readonly item: Known | null;
};

/** Every field is known. */
export const ANYTHING: Known = {
  field: () => ANYTHING,
  get item() {
    return ANYTHING;
  },
};

/** A field that a document has twice, or that its type does not have. */
export type Stray = {
  readonly is: 'duplicate' | 'unknown';
  readonly path: string;
  readonly key: string;
  /** The line of the second value, from 1; of an unknown field not counted. */
  readonly line: number;
};

/** The first hundred, each once, and how many there are beside. */
export type Strays = { readonly told: readonly Stray[]; readonly more: number };

export const NO_STRAYS: Strays = { told: [], more: 0 };

/** Collects stray fields: as many as an answer names, the others are counted. */
export class StrayFields implements Strays {
  readonly told: Stray[] = [];
  more = 0;
  readonly #texts = new Set<string>();

  add(is: Stray['is'], path: readonly PropertyKey[], line = 0): void {
    if (this.told.length >= FAULTS_MAX) {
      this.more++;
      return;
    }
    const stray = { is, path: briefly(fieldPath(path)), key: briefly(String(path.at(-1))), line };
    const text = strayText(stray);
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.told.push(stray);
  }
}

/** In the words of Kubernetes' JSON decoder (sigs.k8s.io/json). */
export const strayText = ({ is, path }: Stray): string => `${is} field ${JSON.stringify(path)}`;

/**
 * The fields that a value's type does not have, in the order of their names: so they are in a text that Go has made of a value.
 *
 * @param value at most 100 levels deep
 */
export function unknownFields(known: Known | null, value: unknown): Strays {
  const strays = new StrayFields();
  walk(strays, known, value, []);
  return strays;
}

function walk(strays: StrayFields, known: Known | null, value: unknown, path: readonly (string | number)[]): void {
  if (known === null || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) walk(strays, known.item, item, [...path, i]);
    return;
  }
  for (const [key, inner] of Object.entries(value).sort(byName)) {
    const under = known.field(key);
    if (under === 'unknown') strays.add('unknown', [...path, key]);
    else walk(strays, under, inner, [...path, key]);
  }
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/** Compares the paths of two fields: names by their characters, places in a list by number. */
export function comparePaths(one: readonly PropertyKey[], other: readonly PropertyKey[]): number {
  for (const [i, step] of one.entries()) {
    const against = other[i];
    if (against === undefined) return 1;
    if (step === against) continue;
    if (typeof step === 'number' && typeof against === 'number') return step - against;
    return String(step) < String(against) ? -1 : 1;
  }
  return one.length === other.length ? 0 : -1;
}
