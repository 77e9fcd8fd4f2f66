import { runCommandLine } from './program.ts';
import { processShell } from './shell.ts';

// `muster get | head`: whoever read our output has had enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });

process.exitCode = await runCommandLine(process.argv.slice(2), processShell());
