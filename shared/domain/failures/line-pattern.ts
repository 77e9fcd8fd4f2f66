/** What varies from one run of a program to the next, in this order: what is longer first, since all of it has numbers. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${'\u001B'}\\[[\\d;?]*[A-Za-z]`, 'g'), ''],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<uuid>'],
  [
    /\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z\b|UTC\b|[+-]\d{2}:?\d{2}))?)?/g,
    '<time>',
  ],
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2},? \d{2}:\d{2}:\d{2}(?: [A-Z]{3,4})?(?: \d{4})?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?/g, '<time>'],
  [/(\/(?:var\/)?tmp\/)[^\s/:;,'"`()<>]+/g, '$1<temp>'],
  [/(\/var\/folders\/)[^\s/:]+\/[^\s/:]+\/T\/[^\s/:;,'"`()<>]+/g, '$1<temp>'],
  [/(?<=\/)te?mp[._-]?\w{6,}/g, '<temp>'],
  [/\b0x[\da-f]+\b/gi, '<hex>'],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}\b/gi, '<hex>'],
  [/\d+(?:[.,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
];

const CHARS_MAX = 200;
/** A longer line is cut before it is read: nobody tells lines apart by what follows. */
const READ_CHARS_MAX = 2_000;

/** The shortest value of an item that is looked for: shorter ones occur by chance. */
const VALUE_CHARS_MIN = 3;

/**
 * A line of a log without what varies from run to run, so that equal failures have equal patterns: numbers, addresses, UUIDs,
 * times, the random parts of temporary paths, and the item that the index works on. At most 200 characters.
 *
 * @param item the lines of its items; null: there are none
 */
export function linePattern(line: string, item: string | null = null): string {
  let text = line.slice(0, READ_CHARS_MAX);
  for (const value of valuesOf(item)) text = text.replaceAll(value, '<item>');
  for (const [varying, word] of VARYING) text = text.replaceAll(varying, word);
  return text.trim().slice(0, CHARS_MAX);
}

/** The whole item, and then the values in it, the longest first. */
function valuesOf(item: string | null): readonly string[] {
  if (item === null) return [];
  return [item, ...item.split('\n'), ...item.split(/[\t\n]/)]
    .filter((value) => value.length >= VALUE_CHARS_MIN && !/^[\d.]+$/.test(value))
    .sort((a, b) => b.length - a.length);
}
