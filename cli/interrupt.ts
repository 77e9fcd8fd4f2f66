import type { Shell } from './shell.ts';

/** `npx` passes a Ctrl-C on that the terminal has sent us already: one press arrives twice. */
const SAME_PRESS_MS = 400;

/**
 * Resolves at the first Ctrl-C, SIGTERM or SIGHUP. A second Ctrl-C says `farewell` and ends this process on the spot; no
 * other signal does, for `muster stop` of what is stopping already must not cut that short.
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
