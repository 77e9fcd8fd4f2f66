/**
 * How `muster` is called where the user stands: in a checkout through npx, which says so in the environment; installed, by
 * its name. Elsewhere `npx muster` would fetch another package of that name.
 */
export const commandWord = (env: Readonly<Record<string, string | undefined>>): string =>
  env['npm_lifecycle_event'] === 'npx' ? 'npx muster' : 'muster';

/** A message in which commands stand in backquotes (`muster local`), with the word that works here. */
export const withCommandWord = (message: string, env: Parameters<typeof commandWord>[0]): string =>
  message.replaceAll('`muster ', `\`${commandWord(env)} `);
