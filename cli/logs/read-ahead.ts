/** Characters or bytes buffered per text that is read ahead. A longer text waits at its source. */
const AHEAD_MAX = 128 * 1024;

/**
 * Reads several texts concurrently, piece by piece, and passes each on in order. Buffers later texts up to a bound.
 *
 * @param open starts to read a text; called when the text may be read ahead
 * @param use called for one text after the other; reads to the end, or throws
 */
export async function readAhead<T, P extends Sized>(
  texts: readonly T[],
  atOnce: number,
  open: (text: T) => AsyncGenerator<P>,
  use: (text: T, pieces: AsyncIterable<P>) => Promise<void>,
): Promise<void> {
  const ahead: ReadableStream<Piece<P>>[] = [];
  let opened = 0;
  try {
    for (const [nth, text] of texts.entries()) {
      for (const next of texts.slice(opened, nth + atOnce)) ahead.push(streamOf(open(next)));
      opened = Math.max(opened, nth + atOnce);
      const pieces = ahead.shift();
      if (pieces !== undefined) await use(text, piecesIn(pieces));
    }
  } finally {
    await Promise.all(ahead.map(async (pieces) => pieces.cancel().catch(() => undefined)));
  }
}

/** A text, or bytes. */
type Sized = { readonly length: number };

/** An error is queued like a piece: the pieces before it are read first. */
type Piece<P> = { readonly is: P } | { readonly error: unknown };

async function* piecesIn<P>(pieces: ReadableStream<Piece<P>>): AsyncGenerator<P> {
  for await (const piece of pieces) {
    if ('error' in piece) throw piece.error;
    yield piece.is;
  }
}

/** A stream pulls by itself until its buffer is full. */
const streamOf = <P extends Sized>(pieces: AsyncGenerator<P>): ReadableStream<Piece<P>> =>
  new ReadableStream<Piece<P>>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue({ is: next.value });
        } catch (error) {
          controller.enqueue({ error });
          controller.close();
        }
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: AHEAD_MAX, size: (piece) => ('is' in piece ? piece.is.length + 1 : 1) },
  );
