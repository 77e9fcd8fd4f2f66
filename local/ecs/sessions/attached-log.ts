import { type FileHandle, open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ContainerSession } from '../../container-sessions.ts';
import type { ContainerInput } from './container-input.ts';

/** How often a log is looked at for more. */
const LOOK_MS = 50;
/** How much of it is read at once. */
const PIECE_BYTES = 65_536;

/**
 * What a container prints from now on: what is added to its log.
 *
 * @param input what its client sends to it; null: nothing
 */
export async function attachedLog(
  path: string,
  isRunning: () => boolean,
  input: ContainerInput | null,
): Promise<ContainerSession> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  const closing = new AbortController();
  let hasLeft = false;
  const goesOn = (): boolean => !hasLeft && isRunning();
  const stdout = Readable.from(added(path, size, goesOn, closing.signal), { objectMode: false });
  const stdin = input?.attach(() => (hasLeft = true)) ?? null;
  const ended = new Promise<null>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdout.once(event, () => resolve(null));
  });
  return {
    stdin,
    stdout,
    stderr: null,
    resize: (newest) => input?.resize(newest),
    ended,
    hangUp() {
      stdin?.destroy();
      closing.abort();
      stdout.destroy();
    },
  };
}

async function* added(
  path: string,
  from: number,
  isRunning: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let file: FileHandle | null = null;
  try {
    let room = Buffer.alloc(PIECE_BYTES);
    for (let at = from; !signal.aborted; ) {
      // Before it is read: what was printed until then is in it.
      const wasRunning = isRunning();
      file ??= await open(path, 'r').catch(() => null);
      const { bytesRead = 0 } = (await file?.read(room, 0, PIECE_BYTES, at)) ?? {};
      at += bytesRead;
      if (bytesRead > 0) {
        yield room.subarray(0, bytesRead);
        room = Buffer.alloc(PIECE_BYTES);
      } else if (!wasRunning) return;
      else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  } finally {
    await file?.close();
  }
}
