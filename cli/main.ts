import { runCommandLine } from './program.ts';
import { processShell } from './shell.ts';

/** Nobody reads any more (`muster get | head`), or the terminal was closed. */
const GONE = ['EPIPE', 'EIO'];
let isGone = false;

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!GONE.includes(error.code ?? '')) throw error;
    if (isGone) return;
    isGone = true;
    // What has something to put in order (`local` has tasks) is told to; it may go on writing to nobody.
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0);
  });

process.exitCode = await runCommandLine(process.argv.slice(2), processShell());
