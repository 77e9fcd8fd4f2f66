import { PassThrough, type Readable, type Writable } from 'node:stream';

/** What a program prints, in its two streams. */
export type Parted = { readonly stdout: Readable; readonly stderr: Readable };

/** A frame of a stream that holds standard output and standard error (Docker Engine API, ContainerAttach). */
const HEADER_BYTES = 8;
const STDERR = 2;

/**
 * Takes the stream of a program without a terminal apart. It is read as fast as what it holds is taken. Text without frames is what
 * an engine says instead of starting the program: it is passed on as an error.
 */
export function partedOutput(source: Readable): Parted {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  copy(source, stdout, stderr).then(
    () => {
      stdout.end();
      stderr.end();
    },
    () => {
      stdout.destroy();
      stderr.destroy();
    },
  );
  return { stdout, stderr };
}

async function copy(source: Readable, stdout: Writable, stderr: Writable): Promise<void> {
  let header = Buffer.alloc(0);
  let left = 0;
  let to: Writable = stderr;
  let isPlain = false;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      if (left === 0 && !isPlain) {
        const more = chunk.subarray(at, at + HEADER_BYTES - header.length);
        header = Buffer.concat([header, more]);
        at += more.length;
        isPlain = (header[0] ?? 0) > STDERR;
        if (isPlain) await write(stderr, header);
        if (isPlain || header.length < HEADER_BYTES) continue;
        to = header[0] === STDERR ? stderr : stdout;
        left = header.readUInt32BE(4);
        header = Buffer.alloc(0);
      } else {
        const piece = isPlain ? chunk.subarray(at) : chunk.subarray(at, at + left);
        left -= isPlain ? 0 : piece.length;
        at += piece.length;
        await write(isPlain ? stderr : to, piece);
      }
    }
  }
}

/** Resolves when there is room for more. */
async function write(to: Writable, piece: Buffer): Promise<void> {
  if (to.destroyed || to.write(piece)) return;
  await new Promise<void>((resolve) => {
    to.once('drain', resolve);
    to.once('close', resolve);
  });
}
