/** As in the API server (endpoints/filters/warning.go): above this many characters, warnings are cut, and then omitted. */
const WARNINGS_CHARS_MAX = 4096;
const CUT_WARNING_CHARS = 256;

/**
 * Adds Kubernetes' warnings to an answer: kubectl prints them. A header takes printable ASCII only, and a gateway takes 10 KB
 * of headers: with more, the answer to a completed write would be lost.
 */
export function withWarnings(response: Response, warnings: readonly string[]): Response {
  const texts = [...new Set(warnings)];
  const whole = texts.map((text) => headerOf(text));
  const isTooMuch = lengthOf(whole) > WARNINGS_CHARS_MAX;
  const headers = isTooMuch ? texts.map((text) => headerOf(text.slice(0, CUT_WARNING_CHARS))) : whole;
  let left = WARNINGS_CHARS_MAX;
  for (const header of headers) {
    left -= header.length;
    if (left < 0) break;
    response.headers.append('warning', header);
  }
  return response;
}

const headerOf = (text: string): string => `299 - ${JSON.stringify(text.replaceAll(/[^ -~]/g, '?'))}`;

const lengthOf = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0);
