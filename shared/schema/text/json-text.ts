import { type Known, type Strays, ANYTHING, StrayFields } from '../object/stray-fields.ts';

/** A number and how it is written, such as a whole one in a notation that Go's integers do not accept: `2.0`, `2e0`. */
export type FloatNumber = { readonly path: readonly (string | number)[]; readonly text: string };

/** What JSON.parse does not report about a text. */
export type JsonText = {
  /** Duplicate fields, and unknown ones, in the order of the text. A field that is both is unknown. */
  readonly strays: Strays;
  readonly floats: readonly FloatNumber[];
  /** Numbers that are another text when they are read and written again. */
  readonly altered: readonly FloatNumber[];
};

type Level = {
  readonly known: Known | null;
  readonly seen: Set<string> | null;
  step: string | number;
  /** What is known of the value at this step. */
  inner: Known | null;
};

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Reads how a text is written. JSON.parse silently keeps the last of two equal fields, and only the value of a number.
 * Takes linear time.
 *
 * @param text valid JSON
 * @param known the fields that its value may have; by default any
 */
export function readJsonText(text: string, known: Known | null = ANYTHING): JsonText {
  const levels: Level[] = [];
  const floats: FloatNumber[] = [];
  const altered: FloatNumber[] = [];
  const strays = new StrayFields();
  let line = 1;
  const path = () => levels.map(({ step }) => step);
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    const char = text.charAt(at);
    const under = level === undefined ? known : level.inner;
    if (char === '\n') line++;
    else if (char === '{') levels.push({ known: under, seen: new Set(), step: '', inner: null });
    else if (char === '[') levels.push({ known: under, seen: null, step: 0, inner: under?.item ?? null });
    else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && typeof level?.step === 'number') level.step++;
    else if (char === '"') {
      const end = endOfString(text, at);
      if (level !== undefined && level.seen !== null && isBeforeColon(text, end + 1)) {
        const key = String(JSON.parse(text.slice(at, end + 1)));
        const inner = level.known?.field(key) ?? null;
        level.step = key;
        level.inner = inner === 'unknown' ? null : inner;
        if (level.known !== null && inner === 'unknown') strays.add('unknown', path());
        else if (level.known !== null && level.seen.has(key)) strays.add('duplicate', path(), line);
        level.seen.add(key);
      }
      at = end;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      const number = numberAt(text, at);
      if (/[.eE]/.test(number) && Number.isInteger(Number(number))) floats.push({ path: path(), text: number });
      if (String(Number(number)) !== number) altered.push({ path: path(), text: number });
      at += number.length - 1;
    }
  }
  return { strays, floats, altered };
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? text.charAt(at);
}

/** The position of the closing quote of the string at `at`. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}

function isBeforeColon(text: string, from: number): boolean {
  let at = from;
  while (/\s/.test(text[at] ?? 'x')) at++;
  return text[at] === ':';
}
