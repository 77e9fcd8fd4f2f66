/** Words in zone names that are not simply capitalized. */
const ODD_WORDS = new Map(
  (
    'ACT CET CHAT CST6CDT EET EST EST5EDT GB GMT GMT0 HST IN LHI MET MST MST7MDT NSW NZ PRC PST8PDT ROC ROK SU UCT US ' +
    'UTC W WET BajaNorte BajaSur ComodRivadavia DeNoronha DumontDUrville EasterIsland McMurdo au es of'
  )
    .split(' ')
    .map((word) => [word.toLowerCase(), word]),
);

/**
 * Finds a time zone as Go's `time.LoadLocation` does on Linux, with its error texts. The zones are those of this JavaScript
 * engine, which ignores case in their names; Linux does not.
 */
export function findTimeZone(
  name: string,
): { readonly kind: 'known' } | { readonly kind: 'unknown'; readonly reason: string } {
  if (name === '' || name === 'UTC' || name === 'Local') return { kind: 'known' };
  if (name.includes('..') || /^[/\\]/.test(name)) return { kind: 'unknown', reason: 'time: invalid location name' };
  return name !== ICU_ONLY && isWrittenRight(name) && isKnownToIntl(name)
    ? { kind: 'known' }
    : { kind: 'unknown', reason: `unknown time zone ${name}` };
}

/** An old abbreviation of Darwin's time that is in the engine's database but not in IANA's. */
const ICU_ONLY = 'ACT';

const isWrittenRight = (name: string): boolean =>
  name.split(/[/_-]/).every((word) => {
    const odd = ODD_WORDS.get(word.toLowerCase());
    return odd === undefined ? /^(?:[A-Z][a-z]+|GMT\+\d+|\d+)$/.test(word) : odd === word;
  });

function isKnownToIntl(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * How far a zone's wall clock is ahead of UTC at a moment, in milliseconds. A wall clock is written as the moment at which UTC
 * shows the same.
 *
 * @param name a known zone, see {@link findTimeZone}
 */
export function zoneOffsetMs(name: string, at: number): number {
  if (name === 'UTC') return 0;
  const quarter = Math.floor(at / QUARTER_MS);
  const key = `${name}/${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = offsetAt(name, quarter * QUARTER_MS);
  if (offsets.size === OFFSETS_MAX) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** Since 1973, every zone changes its clock at a quarter of an hour of UTC. */
const QUARTER_MS = 900_000;
/** To ask a clock takes ten microseconds, and a schedule asks about neighboring minutes. */
const offsets = new Map<string, number>();
const OFFSETS_MAX = 5_000;

function offsetAt(name: string, wholeSecond: number): number {
  const shown = new Map(
    clockOf(name)
      .formatToParts(wholeSecond)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - wholeSecond;
}

/** To make one takes a hundred times as long as to use it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(name: string): Intl.DateTimeFormat {
  const known = clocks.get(name);
  if (known !== undefined) return known;
  const numeric = 'numeric' as const;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    calendar: 'gregory',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  clocks.set(name, clock);
  return clock;
}
