export type GoDuration =
  | { readonly kind: 'ok'; readonly seconds: number }
  | { readonly kind: 'bad'; readonly reason: string };

const UNIT_SEC = new Map([
  ['ns', 1e-9],
  ['us', 1e-6],
  ['\u00b5s', 1e-6],
  ['\u03bcs', 1e-6],
  ['ms', 1e-3],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
]);
/** 2^63 nanoseconds: 292 years. */
const SECONDS_MAX = 2 ** 63 / 1e9;
const PART = /^(\d*)(\.\d*)?([^\d.]*)/;

/** Parses `1h30m`, `-1.5h`, `+5s`, `0` exactly as Go's `time.ParseDuration` does; errors use its words. */
export function parseGoDuration(text: string): GoDuration {
  const bad = (reason: string): GoDuration => ({ kind: 'bad', reason: `time: ${reason} ${JSON.stringify(text)}` });
  let rest = text.replace(/^[+-]/, '');
  const sign = text.startsWith('-') ? -1 : 1;
  if (rest === '0') return { kind: 'ok', seconds: 0 };
  if (rest === '') return bad('invalid duration');
  let seconds = 0;
  while (rest !== '') {
    const [part = '', whole = '', fraction = '', unit = ''] = PART.exec(rest) ?? [];
    if (whole === '' && fraction.length < 2) return bad('invalid duration');
    if (unit === '') return bad('missing unit in duration');
    const unitSec = UNIT_SEC.get(unit);
    if (unitSec === undefined) return bad(`unknown unit ${JSON.stringify(unit)} in duration`);
    seconds += Number(`0${whole}${fraction}`) * unitSec;
    if (seconds > SECONDS_MAX) return bad('invalid duration');
    rest = rest.slice(part.length);
  }
  return { kind: 'ok', seconds: sign * seconds };
}
