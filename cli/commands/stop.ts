import { resolve } from 'node:path';
import { startFault } from '../../local/start-fault.ts';
import { stopRuntime } from '../../local/stop-runtime.ts';
import { EXIT, Failure } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';

/** `muster stop`: stops the runtime of a data folder and waits until it is gone. It succeeds if none runs. */
export async function stopLocal(
  { data, timeoutMs }: { readonly data: string; readonly timeoutMs: number },
  shell: Shell,
): Promise<number> {
  const dataDir = resolve(shell.cwd, data);
  const stopped = await stopRuntime(dataDir, timeoutMs).catch((error: unknown) => {
    const reason = startFault(error, dataDir);
    throw reason === null ? error : new Failure(`error: ${reason}`);
  });
  switch (stopped.kind) {
    case 'none':
      shell.out.write(`No Muster runs on ${dataDir}.\n`);
      return EXIT.ok;
    case 'cleared':
      shell.out.write(`Cleaned up after a Muster on ${dataDir} that was killed.\n`);
      return EXIT.ok;
    case 'stopped':
      shell.out.write(`Stopped the Muster on ${dataDir} (pid ${stopped.pid}).\n`);
      return EXIT.ok;
    case 'not-ours':
      throw new Failure(
        `error: the Muster on ${dataDir} (pid ${stopped.pid}) belongs to another user: ask them to stop it`,
      );
    case 'still-stopping':
      throw new Failure(
        `error: the Muster on ${dataDir} (pid ${stopped.pid}) is still stopping; ` +
          `wait longer with --timeout, or run \`kill -9 ${stopped.pid}\`, then start it and stop it again`,
        EXIT.timedOut,
      );
  }
}
