import { keepCompiledCode } from './compile-cache.ts';

keepCompiledCode(process.env);

/** The reader has closed the pipe (`muster get | head`), or the terminal was closed. */
const GONE = ['EPIPE', 'EIO'];
let isGone = false;

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!GONE.includes(error.code ?? '')) throw error;
    if (isGone) return;
    isGone = true;
    // A command with cleanup to do (`local` has tasks) receives a signal. It may continue to write to a closed output.
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0);
  });

// Loaded after the cache is enabled, so that they are cached, too.
const [{ runCommandLine }, { processShell }] = await Promise.all([
  import('./program/program.ts'),
  import('./shell/shell.ts'),
]);
process.exitCode = await runCommandLine(process.argv.slice(2), processShell());
