import { closeSync, fstatSync, mkdirSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { openForAppending } from '../whole-file.ts';
import { type Engine, EngineError } from './engine.ts';

/** A frame of a stream that holds standard output and standard error (Docker Engine API, ContainerAttach). */
const FRAME_HEADER_BYTES = 8;

/**
 * Copies what a container printed into a file, from where the file ends on: the engine gives the same bytes in the same order
 * each time, so a file that an earlier copy has left is continued without a gap or a double, wherever that one broke off.
 *
 * @param follow until the container ends; otherwise what there is
 * @param isPlain the container has a terminal: what it shows comes as it is
 * @returns when all is copied. Throws {@link EngineError} if the engine went away before, and what the file system says
 */
export async function copyLog(
  engine: Engine,
  id: string,
  path: string,
  { follow, isPlain, signal }: { readonly follow: boolean; readonly isPlain: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const file = openLog(path);
  try {
    let skip = fstatSync(file).size;
    const query = { follow, stdout: true, stderr: true };
    const stream = await engine.stream({ method: 'GET', path: `/containers/${id}/logs`, query }, signal);
    const frames = new Frames();
    try {
      for await (const chunk of stream) {
        for (const piece of isPlain ? [chunk as Buffer] : frames.take(chunk as Buffer)) {
          const rest = piece.subarray(Math.min(skip, piece.length));
          skip -= piece.length - rest.length;
          for (let done = 0; done < rest.length; ) done += writeSync(file, rest, done);
        }
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && DISK_FAULTS.has(String(error.code))) throw error;
      throw new EngineError(`the log of a container broke off: ${String(error)}`, null);
    }
  } finally {
    closeSync(file);
  }
}

/** The disk has no room now, or its user has no more of it: there may be some later. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

const DISK_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EFBIG']);

/** Takes a stream apart into what was printed: pieces come as they arrive, whatever the size of a frame. */
class Frames {
  #header = Buffer.alloc(0);
  /** bytes that the frame still has */
  #left = 0;

  take(chunk: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        const missing = chunk.subarray(at, at + FRAME_HEADER_BYTES - this.#header.length);
        this.#header = Buffer.concat([this.#header, missing]);
        at += missing.length;
        if (this.#header.length < FRAME_HEADER_BYTES) break;
        this.#left = this.#header.readUInt32BE(4);
        this.#header = Buffer.alloc(0);
      } else {
        const piece = chunk.subarray(at, at + this.#left);
        this.#left -= piece.length;
        at += piece.length;
        pieces.push(piece);
      }
    }
    return pieces;
  }
}

function openLog(path: string): number {
  try {
    return openForAppending(path);
  } catch {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openForAppending(path);
  }
}
