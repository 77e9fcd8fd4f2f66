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
