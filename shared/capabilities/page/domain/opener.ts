export type Desk = {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Somebody reads what the command prints. */
  readonly isTerminal: boolean;
  /** Who has the address is signed in. */
  readonly isSecret: boolean;
};

const isSet = (value: string | undefined): boolean => (value ?? '') !== '';

/**
 * The program that opens an address in a browser; null: nothing is opened, because nobody is there, or because the browser is on
 * another machine. What a program is started with, other users of the machine can read. On Linux that helps nobody, because the
 * server answers no program of theirs; elsewhere it does, so a secret is only printed.
 */
export function openerFor({ platform, env, isTerminal, isSecret }: Desk): string | null {
  if (!isTerminal || isSet(env['SSH_CONNECTION'])) return null;
  if (platform === 'darwin') return isSecret ? null : 'open';
  return platform === 'linux' && (isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY'])) ? 'xdg-open' : null;
}
