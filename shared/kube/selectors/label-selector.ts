import type { Labels } from '../../domain/manifests/manifest.ts';
import { labelValueErrors, qualifiedNameErrors } from '../../schema/object/dns-names.ts';
import { fieldErrorText, invalid } from '../../schema/object/field-error.ts';
import { type Parsed, bad, ok } from '../http/query.ts';
import { type Token, selectorTokens, shownPart } from './selector-tokens.ts';

export { type FieldSelector, parseFieldSelector } from './field-selector.ts';

export type LabelSelector = {
  readonly matches: (labels: Labels) => boolean;
  /** The one value that `key` must have, if the selector says so, so that not everything has to be read. */
  readonly exact: (key: string) => string | undefined;
  /** It selects everything. */
  readonly isEverything: boolean;
};

type Operator = '=' | '==' | '!=' | 'in' | 'notin' | '>' | '<';
type Requirement =
  | { readonly key: string; readonly op: 'exists' | 'missing' }
  | { readonly key: string; readonly op: 'in' | 'notin'; readonly values: ReadonlySet<string> }
  | { readonly key: string; readonly op: '>' | '<'; readonly bound: bigint };

/**
 * Parses a label selector: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Its grammar and its error messages are Kubernetes'
 * (apimachinery's labels.Parse); time is proportional to its length.
 */
export function parseLabelSelector(text: string | undefined): Parsed<LabelSelector> {
  try {
    const requirements = new Parser(selectorTokens(text ?? '')).parse();
    return ok({
      isEverything: requirements.length === 0,
      matches: (labels) => requirements.every((requirement) => meets(requirement, labels)),
      exact: (key) => {
        const found = requirements.find((each) => each.key === key);
        return found?.op === 'in' && found.values.size === 1 ? [...found.values][0] : undefined;
      },
    });
  } catch (error) {
    if (error instanceof SelectorError) return bad(error.message);
    throw error;
  }
}

/** The text is not a selector; never leaves this file. */
class SelectorError extends Error {}

const found = ({ text }: Token): string => `found '${shownPart(text)}'`;

const OPERATORS: readonly Operator[] = ['!=', '<', '=', '==', '>', 'in', 'notin'];
/** Upstream's list, in its order. */
const EXPECTED_OPERATORS = 'in, notin, =, ==, !=, gt, lt';

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (!begins(token)) throw new SelectorError(`${found(token)}, expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (!is(next, ',')) throw new SelectorError(`${found(next)}, expected: ',' or 'end of string'`);
      if (!begins(this.#peek())) throw new SelectorError(`${found(this.#peek())}, expected: identifier after ','`);
    }
  }

  #requirement(): Requirement {
    try {
      return this.#readRequirement();
    } catch (error) {
      if (error instanceof SelectorError) error.message = `unable to parse requirement: ${error.message}`;
      throw error;
    }
  }

  #readRequirement(): Requirement {
    const isNegated = is(this.#peek(), '!');
    if (isNegated) this.#take();
    const word = this.#take();
    if (word.kind !== 'word') throw new SelectorError(`${found(word)}, expected: identifier`);
    const key = word.text;
    complain([{ path: '<nil>', value: key, errors: qualifiedNameErrors(key) }]);
    if (isNegated) return { key, op: 'missing' };
    if (endsValue(this.#peek())) return { key, op: 'exists' };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#value()];
    return requirementOf(key, operator, [...new Set(values)].sort());
  }

  #operator(): Operator {
    const token = this.#take();
    const operator = OPERATORS.find((each) => each === token.text);
    if (operator === undefined) throw new SelectorError(`${found(token)}, expected: ${EXPECTED_OPERATORS}`);
    return operator;
  }

  /** `(a,b)`; a missing value between commas and parentheses is the empty value. */
  #values(): readonly string[] {
    const open = this.#take();
    if (!is(open, '(')) throw new SelectorError(`${found(open)} expected: '('`);
    const first = this.#peek();
    if (is(first, ')')) {
      this.#take();
      return [''];
    }
    if (first.kind !== 'word' && !is(first, ','))
      throw new SelectorError(`${found(first)}, expected: ',', ')' or identifier`);
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.kind === 'word') {
        values.push(token.text);
        const next = this.#peek();
        if (is(next, ')')) break;
        if (!is(next, ',')) throw new SelectorError(`${found(next)}, expected: ',' or ')'`);
      } else if (is(token, ',')) {
        const next = this.#peek();
        if (values.length === 0 || is(next, ',') || is(next, ')')) values.push('');
        if (is(next, ')')) break;
      } else throw new SelectorError(`${found(token)}, expected: ',', or identifier`);
    }
    this.#take();
    return values;
  }

  #value(): string {
    if (endsValue(this.#peek())) return '';
    const token = this.#take();
    if (token.kind !== 'word') throw new SelectorError(`${found(token)}, expected: identifier`);
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '' };
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

const is = (token: Token, symbol: string): boolean => token.kind === 'symbol' && token.text === symbol;
const begins = (token: Token): boolean => token.kind === 'word' || is(token, '!');
const endsValue = (token: Token): boolean => token.kind === 'end' || is(token, ',');

function requirementOf(key: string, operator: Operator, values: readonly string[]): Requirement {
  const isBound = operator === '>' || operator === '<';
  const bounds = isBound ? values.map(integerOf) : [];
  complain([
    ...bounds.map((bound, i) => ({
      path: `values[${i}]`,
      value: values[i] ?? '',
      errors: bound === null ? ["for 'Gt', 'Lt' operators, the value must be an integer"] : [],
    })),
    ...values.map((value, i) => ({ path: `values[${i}][${key}]`, value, errors: labelValueErrors(value) })),
  ]);
  if (isBound) return { key, op: operator, bound: bounds[0] ?? 0n };
  const op = operator === '!=' || operator === 'notin' ? 'notin' : 'in';
  return { key, op, values: new Set(values) };
}

type Complaint = { readonly path: string; readonly value: string; readonly errors: readonly string[] };

/** Throws for everything that is wrong with the parts of one requirement, in Kubernetes' words for fields. */
function complain(complaints: readonly Complaint[]): void {
  const sentences = complaints
    .filter(({ errors }) => errors.length > 0)
    .map(({ path, value, errors }) => `${path}: ${fieldErrorText(invalid(path, value, errors.join('; ')))}`);
  const [first] = sentences;
  if (first !== undefined) throw new SelectorError(sentences.length === 1 ? first : `[${sentences.join(', ')}]`);
}

const INT64_MAX = 2n ** 63n - 1n;

/** As Go parses an int64; null: it is not one. */
function integerOf(text: string): bigint | null {
  if (!/^[+-]?\d{1,40}$/.test(text)) return null;
  const value = BigInt(text.replace(/^\+/, ''));
  return value > INT64_MAX || value < -INT64_MAX - 1n ? null : value;
}

function meets(requirement: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.op) {
    case 'exists':
      return value !== undefined;
    case 'missing':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.has(value);
    case 'notin':
      return value === undefined || !requirement.values.has(value);
    case '>':
    case '<': {
      const number = value === undefined ? null : integerOf(value);
      if (number === null) return false;
      return requirement.op === '>' ? number > requirement.bound : number < requirement.bound;
    }
  }
}
