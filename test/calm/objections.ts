/** What the text of a test of the gate must not hold. Put together from halves, so that no text of this folder is found. */
const FORBIDDEN = [
  { words: ['performance', '.now'], why: 'measures the machine' },
  { words: ['hr', 'time'], why: 'measures the machine' },
  { words: ['cpu', 'Usage'], why: 'measures the machine' },
  { words: ['memory', 'Usage'], why: 'measures the machine' },
  { words: ['set', 'Timeout('], why: 'hopes that something has happened by then' },
  { words: ['timers', '/promises'], why: 'hopes that something has happened by then' },
].map(({ words, why }) => ({ word: words.join(''), why }));

/** What a test with this text does that may be red without a fault: a sentence for each. */
export const objectionsTo = (text: string): readonly string[] =>
  FORBIDDEN.filter(({ word }) => text.includes(word)).map(({ word, why }) => `${word} ${why}`);
