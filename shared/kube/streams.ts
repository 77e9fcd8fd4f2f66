/** Sends lines as they come. Whatever reads them may go away at any time: then the lines are told to end. */
export function streamLines(
  contentType: string,
  lines: (isCancelled: () => boolean) => AsyncIterator<string>,
): Response {
  let cancelled = false;
  const iterator = lines(() => cancelled);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel() {
      cancelled = true;
    },
  });
  return new Response(body, { headers: { 'content-type': contentType, 'cache-control': 'no-cache, private' } });
}
