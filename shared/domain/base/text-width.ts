const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters that are surely one column wide: letters of Latin scripts, and the shapes of our own views. */
const PLAIN = /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u2010-\u2027\u2500-\u25FC]*$/;
/** Ideographs, kana, Hangul, and full-width forms (East Asian Width W and F of Unicode's UAX 11), and emoji. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18DFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}])/u;
const EMOJI_STYLE = '\uFE0F';
/** Marks and format characters that stand alone take no column. */
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;

/** How many columns of a terminal a text on one line takes. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

function widthOfGrapheme(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes(EMOJI_STYLE) ? 2 : 1;
}

/** As much of a text as fits into `columns`; never half a character. */
export function sliceToWidth(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(columns, 0));
  let kept = '';
  let left = columns;
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= widthOfGrapheme(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}

/** The same from the end of a text. */
function endWithin(text: string, columns: number): string {
  let kept = '';
  let left = columns;
  for (const { segment } of [...GRAPHEMES.segment(text)].reverse()) {
    left -= widthOfGrapheme(segment);
    if (left < 0) break;
    kept = segment + kept;
  }
  return kept;
}

/** The text, or as much of its beginning and of its end as fits, with `…` between: paths often differ at their ends only. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns < 1) return '';
  const end = Math.floor((columns - 1) / 2);
  return `${sliceToWidth(text, columns - 1 - end).trimEnd()}…${endWithin(text, end).trimStart()}`;
}

/** The text with blanks at its end, so that it takes at least `columns`. */
export const padToWidth = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(columns - textWidth(text), 0));
