/** How a state of an index is shown: never by colour alone. */
export type Look = {
  /** The custom property that has the colour: `--cell-NAME`. */
  readonly colour: string;
  /** What stands in a cell that is large enough. */
  readonly letter: string;
  readonly words: string;
};

/** The states that the server names, in the order of the legend. */
const LOOKS: Readonly<Record<string, Look>> = {
  running: { colour: 'running', letter: '▸', words: 'running' },
  starting: { colour: 'starting', letter: '·', words: 'starting' },
  stopping: { colour: 'stopping', letter: '■', words: 'stopping' },
  retrying: { colour: 'retrying', letter: '↻', words: 'to be tried again' },
  failed: { colour: 'failed', letter: '×', words: 'failed' },
  failedEarly: { colour: 'failed-early', letter: '!', words: 'failed by a rule' },
  succeeded: { colour: 'succeeded', letter: '', words: 'succeeded' },
  recovered: { colour: 'recovered', letter: '+', words: 'succeeded after retries' },
  inherited: { colour: 'inherited', letter: '=', words: 'inherited from the Job before' },
  held: { colour: 'held', letter: 'H', words: 'held' },
  cancelled: { colour: 'cancelled', letter: 'ø', words: 'cancelled' },
  excluded: { colour: 'excluded', letter: '–', words: 'left out' },
  waiting: { colour: 'waiting', letter: '', words: 'waiting' },
};

/** How a state is shown, also one that this page does not know. */
export const lookOf = (state: string): Look =>
  LOOKS[state] ?? { colour: 'unknown', letter: '?', words: wordsOfName(state) };

/** `failedEarly` → `failed early`. */
export const wordsOfName = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** States in the order of the legend; those that are not known last. */
export function inLegendOrder(states: readonly string[]): readonly string[] {
  const order = Object.keys(LOOKS);
  const place = (state: string): number => (order.includes(state) ? order.indexOf(state) : order.length);
  return states.toSorted((a, b) => place(a) - place(b));
}
