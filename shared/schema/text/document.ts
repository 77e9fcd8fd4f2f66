import { type CST, Composer, LineCounter, Parser, type ScalarTag, type Tags } from 'yaml';
import { duplicatesInYaml } from './duplicate-field.ts';
import { type FloatNumber, readJsonText } from './json-text.ts';
import { messageOf } from '../../domain/base/error-text.ts';
import { type Strays, NO_STRAYS, strayText } from '../object/stray-fields.ts';

/** The limit of a manifest: STATUS and SPEC are single DynamoDB items of at most 400 KB. */
export const MANIFEST_BYTES_MAX = 256 * 1024;
/** YAML aliases can make a small text enormous ("billion laughs"). A manifest needs few. */
const ALIASES_MAX = 50;
/** The library looks for each alias from the top. */
const ALIASES_IN_ALL_MAX = 500;
/** One key or value for so many bytes of the limit: each costs some 10 µs, ten times what it costs in JSON. */
const BYTES_PER_VALUE = 6;
/** Parsers recurse, so a text of 20,000 brackets would crash the process. A manifest is about ten levels deep. */
const LEVELS_MAX = 100;

export type ParsedDocument =
  | ({ readonly kind: 'parsed'; readonly value: unknown } & Spelling)
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Readable, but fields occur twice. An error only in strict validation. */
  | ({
      readonly kind: 'duplicates';
      readonly value: unknown;
      readonly twice: Strays;
      readonly reason: string;
    } & Spelling);

/** `floats`: numbers in JSON that an integer field does not accept as written; omitted if there are none. */
type Spelling = { readonly floats?: readonly FloatNumber[] };

/**
 * Parses one external JSON or YAML document. `bytesMax`: the limit for YAML with its aliases expanded. Never throws.
 */
export function parseDocument(text: string, format: 'json' | 'yaml', bytesMax = MANIFEST_BYTES_MAX): ParsedDocument {
  try {
    return format === 'json' ? fromJson(text) : fromYaml(text, bytesMax);
  } catch (error) {
    return {
      kind: 'unreadable',
      reason: `${format} parse error: ${messageOf(error)}`,
    };
  }
}

/** A text may be larger where values are; keys cost what they cost in any other. */
const KEYS_MAX = Math.floor(MANIFEST_BYTES_MAX / BYTES_PER_VALUE);

/** Whether a large text has more keys than a usual one could have. Quotes within values have a backslash before them. */
function hasTooManyKeys(text: string): boolean {
  if (text.length <= MANIFEST_BYTES_MAX) return false;
  let keys = 0;
  for (let at = text.indexOf('":'); at >= 0 && keys <= KEYS_MAX; at = text.indexOf('":', at + 2))
    if (text[at - 1] !== '\\') keys++;
  return keys > KEYS_MAX;
}

function fromJson(text: string): ParsedDocument {
  if (hasTooManyKeys(text)) return unreadable('json', `more than ${KEYS_MAX} keys`);
  const value: unknown = JSON.parse(text);
  const fieldError = oddity(value);
  if (fieldError !== null) return unreadable('json', fieldError);
  const { strays, floats } = readJsonText(text);
  return { ...parsed(value, strays), ...(floats.length === 0 ? {} : { floats }) };
}

function parsed(value: unknown, twice: Strays) {
  const [first] = twice.told;
  if (first === undefined) return { kind: 'parsed', value } as const;
  const others = twice.told.length - 1 + twice.more;
  const more = others === 0 ? '' : ` and ${others} more`;
  return { kind: 'duplicates', value, twice, reason: `${strayText(first)}${more}` } as const;
}

/** JSON is YAML, too, and most clients send it as such; its own parser takes a tenth of the time. null: it is none. */
function jsonOf(text: string): { readonly value: unknown } | null {
  if (!/^\s*\{/.test(text)) return null;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function fromYaml(text: string, bytesMax: number): ParsedDocument {
  const json = jsonOf(text);
  if (json !== null) {
    const stray = oddity(json.value);
    return stray === null ? parsed(json.value, readJsonText(text).strays) : unreadable('yaml', stray);
  }
  const lines = new LineCounter();
  const { document, errors } = compose(
    text,
    lines,
    Math.floor(Math.min(bytesMax, MANIFEST_BYTES_MAX) / BYTES_PER_VALUE),
  );
  const [error] = errors;
  if (error !== undefined) return unreadable('yaml', firstLine(error.message));
  const value: unknown = document?.toJS({ maxAliasCount: ALIASES_MAX });
  // Throws for an anchor that contains itself, and measures the text with its aliases expanded.
  if (JSON.stringify(value ?? null).length > bytesMax) return unreadable('yaml', 'too large, aliases included');
  const fieldError = oddity(value);
  if (fieldError !== null) return unreadable('yaml', fieldError);
  return parsed(value, document === undefined ? NO_STRAYS : duplicatesInYaml(document, lines));
}

const unreadable = (format: string, reason: string): ParsedDocument => ({
  kind: 'unreadable',
  reason: `${format} parse error: ${reason}`,
});

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Kubernetes reads YAML 1.1, where a number with a zero before it is octal: `defaultMode: 0640` is 416. */
const OCTAL: ScalarTag = {
  default: true,
  identify: () => false,
  tag: 'tag:yaml.org,2002:int',
  test: /^[-+]?0[0-7]+$/,
  resolve: (text) => Number.parseInt(text, 8),
};

const YAML_OPTIONS = {
  uniqueKeys: false,
  merge: false,
  logLevel: 'silent',
  customTags: (tags: Tags) => [OCTAL, ...tags],
} as const;

/**
 * The first document of a text, and all errors. Measures it first, on the token tree, which is built without recursion.
 *
 * @param valuesMax how many keys and values it may have
 */
function compose(text: string, lines: LineCounter, valuesMax: number) {
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const excess = excessOf(tokens, valuesMax);
  if (excess !== null) throw new Error(excess);
  const documents = [...new Composer(YAML_OPTIONS).compose(tokens)];
  if (documents.length > 1) throw new Error('more than one document');
  return { document: documents[0], errors: documents[0]?.errors ?? [] };
}

/** What there is too much of in a text; null: nothing. */
function excessOf(tokens: readonly CST.Token[], valuesMax: number): string | null {
  let level: CST.Token[] = [...tokens];
  let values = 0;
  let aliases = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= LEVELS_MAX) return `nested deeper than ${LEVELS_MAX} levels`;
    values += level.length;
    aliases += level.reduce((count, { type }) => (type === 'alias' ? count + 1 : count), 0);
    if (values > valuesMax) return `more than ${valuesMax} keys and values: send JSON`;
    if (aliases > ALIASES_IN_ALL_MAX) return `more than ${ALIASES_IN_ALL_MAX} aliases`;
    const next: CST.Token[] = [];
    for (const token of level)
      for (const { isKey, inner } of innerTokens(token)) {
        // JavaScript has texts as keys: the library would write out such a key, once for each level of it.
        if (isKey && 'items' in inner && inner.items.length > 0) return 'a key is a list or a map';
        next.push(inner);
      }
    level = next;
  }
  return null;
}

type InnerToken = { readonly isKey: boolean; readonly inner: CST.Token };

function innerTokens(token: CST.Token): readonly InnerToken[] {
  const inner: InnerToken[] = [];
  if (token.type === 'document' && token.value !== undefined) inner.push({ isKey: false, inner: token.value });
  if ('items' in token)
    for (const { key, value } of token.items) {
      if (key !== undefined && key !== null) inner.push({ isKey: true, inner: key });
      if (value !== undefined) inner.push({ isKey: false, inner: value });
    }
  return inner;
}

/** Rejects what would break code that walks a manifest: too many levels, and a key that some walks skip. */
function oddity(value: unknown): string | null {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LEVELS_MAX) return `nested deeper than ${LEVELS_MAX} levels`;
    const next: unknown[] = [];
    for (const inner of level) {
      if (typeof inner !== 'object' || inner === null) continue;
      if (Object.hasOwn(inner, '__proto__')) return 'key "__proto__"';
      for (const each of Object.values(inner)) if (typeof each === 'object') next.push(each);
    }
    level = next;
  }
  return null;
}
