/** Characters buffered per text that is read ahead. A longer text waits at its source. */
const AHEAD_CHARS = 128 * 1024;

/**
 * Reads several texts concurrently, line by line, and passes each on in order. Buffers later texts up to a bound.
 *
 * @param open starts to read a text; called when the text may be read ahead
 * @param use called for one text after the other; reads to the end, or throws
 */
export async function readAhead<T>(
  texts: readonly T[],
  atOnce: number,
  open: (text: T) => AsyncGenerator<string>,
  use: (text: T, lines: AsyncIterable<string>) => Promise<void>,
): Promise<void> {
  const ahead: ReadableStream<Piece>[] = [];
  let opened = 0;
  try {
    for (const [nth, text] of texts.entries()) {
      for (const next of texts.slice(opened, nth + atOnce)) ahead.push(streamOf(open(next)));
      opened = Math.max(opened, nth + atOnce);
      const lines = ahead.shift();
      if (lines !== undefined) await use(text, linesIn(lines));
    }
  } finally {
    await Promise.all(ahead.map(async (lines) => lines.cancel().catch(() => undefined)));
  }
}

/** An error is queued like a line: the lines before it are read first. */
type Piece = { readonly line: string } | { readonly error: unknown };

async function* linesIn(pieces: ReadableStream<Piece>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if ('error' in piece) throw piece.error;
    yield piece.line;
  }
}

/** A stream pulls by itself until its buffer is full. */
const streamOf = (lines: AsyncGenerator<string>): ReadableStream<Piece> =>
  new ReadableStream<Piece>(
    {
      async pull(controller) {
        try {
          const next = await lines.next();
          if (next.done === true) controller.close();
          else controller.enqueue({ line: next.value });
        } catch (error) {
          controller.enqueue({ error });
          controller.close();
        }
      },
      async cancel() {
        await lines.return(undefined);
      },
    },
    { highWaterMark: AHEAD_CHARS, size: (piece) => ('line' in piece ? piece.line.length + 1 : 1) },
  );
