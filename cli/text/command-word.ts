/**
 * How the user calls `muster` here: through npx in a checkout, which npx records in the environment, or by name if it is
 * installed. In other folders, `npx muster` would fetch another package of that name.
 */
export const commandWord = (env: Readonly<Record<string, string | undefined>>): string =>
  env['npm_lifecycle_event'] === 'npx' ? 'npx muster' : 'muster';

/** Replaces the backquoted commands (`muster local`) in a message with the form that works here. */
export const withCommandWord = (message: string, env: Parameters<typeof commandWord>[0]): string =>
  message.replaceAll('`muster ', `\`${commandWord(env)} `);

/** A command that runs this program from any folder: by name if it is installed, else by the file that runs now. */
export const ownCommand = (env: Parameters<typeof commandWord>[0]): readonly [string, ...string[]] =>
  commandWord(env) === 'muster' ? ['muster'] : [process.execPath, process.argv[1] ?? 'muster'];
