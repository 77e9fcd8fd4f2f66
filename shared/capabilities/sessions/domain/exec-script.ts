/**
 * Words as the one text that ECS takes, which the agent takes apart as a shell does, without a shell. Session Manager's documents know
 * `{{…}}` as a parameter, so two braces never stand side by side.
 */
export const asOneText = (words: readonly string[]): string => words.map(quoted).join(' ');

const quoted = (word: string): string =>
  `'${word
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(/\{(?=\{)/g, "{''")
    .replaceAll(/\}(?=\})/g, "}''")}'`;
