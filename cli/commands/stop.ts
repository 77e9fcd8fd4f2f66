import { resolve } from 'node:path';
import { startFault } from '../../local/start-fault.ts';
import { stopRuntime } from '../../local/stop-runtime.ts';
import { EXIT, Failure } from '../failure.ts';
import type { Shell } from '../shell.ts';

/** `muster stop`: stops the runtime of a data folder and waits until it is gone. That there is none is no failure. */
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
      shell.out.write(`Ended what a Muster on ${dataDir} had left when it was killed.\n`);
      return EXIT.ok;
    case 'stopped':
      shell.out.write(`Stopped the Muster on ${dataDir} (pid ${stopped.pid}).\n`);
      return EXIT.ok;
    case 'not-ours':
      throw new Failure(`error: the Muster on ${dataDir} (pid ${stopped.pid}) is another user's: ask them to stop it`);
    case 'still-stopping':
      throw new Failure(
        `error: the Muster on ${dataDir} (pid ${stopped.pid}) was told to stop and is not gone yet; ` +
          `wait longer with --timeout, or end it with \`kill -9 ${stopped.pid}\`, then start and stop it once more`,
        EXIT.timedOut,
      );
  }
}
