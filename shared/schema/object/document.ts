import { type CST, Composer, Parser } from 'yaml';
import { duplicateFieldOfYaml } from './duplicate-field.ts';
import { type FloatNumber, readJsonText } from './json-text.ts';
import { messageOf } from '../../domain/base/error-text.ts';

/** The limit of a manifest: STATUS and SPEC are single DynamoDB items of at most 400 KB. */
export const MANIFEST_BYTES_MAX = 256 * 1024;
/** YAML aliases can make a small text enormous ("billion laughs"). A manifest needs few. */
const ALIASES_MAX = 50;
/** Parsers recurse, so a text of 20,000 brackets would crash the process. A manifest is about ten levels deep. */
const LEVELS_MAX = 100;

export type ParsedDocument =
  | ({ readonly kind: 'parsed'; readonly value: unknown } & Spelling)
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Readable, but a field occurs twice. An error only in strict validation. */
  | ({ readonly kind: 'duplicates'; readonly value: unknown; readonly reason: string } & Spelling);

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

function fromJson(text: string): ParsedDocument {
  const value: unknown = JSON.parse(text);
  const fieldError = oddity(value);
  if (fieldError !== null) return unreadable('json', fieldError);
  const { twice, floats } = readJsonText(text);
  return { ...parsed(value, twice), ...(floats.length === 0 ? {} : { floats }) };
}

const parsed = (value: unknown, twice: string | null) =>
  twice === null
    ? ({ kind: 'parsed', value } as const)
    : ({ kind: 'duplicates', value, reason: `duplicate field ${JSON.stringify(twice)}` } as const);

function fromYaml(text: string, bytesMax: number): ParsedDocument {
  const { document, errors } = compose(text);
  const [error] = errors;
  if (error !== undefined) return unreadable('yaml', firstLine(error.message));
  const value: unknown = document?.toJS({ maxAliasCount: ALIASES_MAX });
  // Throws for an anchor that contains itself, and measures the text with its aliases expanded.
  if (JSON.stringify(value ?? null).length > bytesMax) return unreadable('yaml', 'too large, aliases included');
  const fieldError = oddity(value);
  return fieldError === null ? parsed(value, duplicateFieldOfYaml(document)) : unreadable('yaml', fieldError);
}

const unreadable = (format: string, reason: string): ParsedDocument => ({
  kind: 'unreadable',
  reason: `${format} parse error: ${reason}`,
});

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/**
 * The first document of a text, and all errors. Checks the depth first, on the token tree, which is built without
 * recursion.
 */
function compose(text: string) {
  const tokens = [...new Parser().parse(text)];
  if (tokenDepth(tokens) > LEVELS_MAX) throw new Error(`nested deeper than ${LEVELS_MAX} levels`);
  const documents = [...new Composer({ uniqueKeys: false, merge: false, logLevel: 'silent' }).compose(tokens)];
  if (documents.length > 1) throw new Error('more than one document');
  return { document: documents[0], errors: documents[0]?.errors ?? [] };
}

function tokenDepth(tokens: readonly CST.Token[]): number {
  let level: CST.Token[] = [...tokens];
  let depth = 0;
  for (; level.length > 0 && depth <= LEVELS_MAX; depth++) level = level.flatMap(innerTokens);
  return depth;
}

function innerTokens(token: CST.Token): CST.Token[] {
  const inner: CST.Token[] = [];
  if (token.type === 'document' && token.value !== undefined) inner.push(token.value);
  if ('items' in token)
    for (const { key, value } of token.items) {
      if (key !== undefined && key !== null) inner.push(key);
      if (value !== undefined) inner.push(value);
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
