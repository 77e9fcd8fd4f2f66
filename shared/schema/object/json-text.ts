import { fieldPath } from './field-error.ts';

/** A number and how it is written, such as a whole one in a notation that Go's integers do not accept: `2.0`, `2e0`. */
export type FloatNumber = { readonly path: readonly (string | number)[]; readonly text: string };

/** What JSON.parse does not report about a text. */
export type JsonText = {
  /** The path of the first duplicate field, such as `spec.parallelism`; null: there is none. */
  readonly twice: string | null;
  readonly floats: readonly FloatNumber[];
  /** Numbers that are another text when they are read and written again. */
  readonly altered: readonly FloatNumber[];
};

type Level = { readonly seen: Set<string> | null; step: string | number };

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Reads how a text is written. JSON.parse silently keeps the last of two equal fields, and only the value of a number.
 * Takes linear time.
 *
 * @param text valid JSON
 */
export function readJsonText(text: string): JsonText {
  const levels: Level[] = [];
  const floats: FloatNumber[] = [];
  const altered: FloatNumber[] = [];
  let twice: string | null = null;
  const path = () => levels.map(({ step }) => step);
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    const char = text.charAt(at);
    if (char === '{') levels.push({ seen: new Set(), step: '' });
    else if (char === '[') levels.push({ seen: null, step: 0 });
    else if (char === '}' || char === ']') levels.pop();
    else if (char === ',' && typeof level?.step === 'number') level.step++;
    else if (char === '"') {
      const end = endOfString(text, at);
      if (level !== undefined && level.seen !== null && isBeforeColon(text, end + 1)) {
        const key = String(JSON.parse(text.slice(at, end + 1)));
        level.step = key;
        if (level.seen.has(key)) twice ??= fieldPath(path());
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
  return { twice, floats, altered };
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
