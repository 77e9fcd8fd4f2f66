import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Call = { readonly action: string; readonly input: Record<string, unknown> };
/** An HTTP answer; null: the connection is cut without one. */
export type Answer = { readonly status: number; readonly body: unknown } | null;

/** A server that answers each call of an AWS JSON client as `script` says, and remembers what it was asked. */
export async function scriptedAws(script: (call: Call, nth: number) => Answer) {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const target = String(request.headers['x-amz-target']);
      const input = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const call = { action: target.slice(target.indexOf('.') + 1), input };
      const answer = script(call, calls.push(call));
      if (answer === null) return void request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    connection: { region: 'eu-central-1', endpoint: `http://127.0.0.1:${port}` },
    stop: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export const refusal = (type: string, message: string, more: object = {}): Answer => ({
  status: type === 'ServerException' ? 500 : 400,
  body: { __type: type, message, ...more },
});
