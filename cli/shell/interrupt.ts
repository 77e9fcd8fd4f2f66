import type { Shell } from './shell.ts';

/** `npx` forwards a Ctrl-C that the terminal has already sent to us: one press arrives twice. */
const SAME_PRESS_MS = 400;

/**
 * Resolves at the first Ctrl-C, SIGTERM, or SIGHUP. A second Ctrl-C prints `farewell` and ends this process immediately. No
 * other signal does, because a `muster stop` of a stopping runtime must not cut its shutdown short.
 */
export function onceInterrupted(shell: Shell, farewell: string): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | null = null;
    shell.onInterrupt((signal) => {
      if (firstMs === null) {
        firstMs = shell.now();
        resolve();
      } else if (signal === 'SIGINT' && shell.now() - firstMs > SAME_PRESS_MS) {
        shell.err.write(`${farewell}\n`);
        process.exit(130);
      }
    });
  });
}
