import { type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { startFront } from '../../local/front/api-front.ts';
import { seeded } from '../../local/ecs/seeded.ts';
import type { LocalRuntime } from '../../local/runtime.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import { operatorsRuntime } from '../support/test-wiring.ts';

export type AFront = { readonly url: string; readonly close: () => Promise<void> };

/** The API of a runtime once more, on a port of its own, with watches that end after `streamMaxSec` at the latest. */
export async function aFrontWithShortWatches(local: LocalRuntime, streamMaxSec: number): Promise<AFront> {
  const runtime = operatorsRuntime(local);
  const front = await startFront(kubeApiOf(runtime, { embedded: true, pollMs: 50, streamMaxSec }), null);
  return {
    url: front.url,
    async close() {
      await front.close();
      runtime.close();
    },
  };
}

export type ARelay = AFront & {
  /** Connections that it has cut so far. */
  readonly cuts: () => number;
};

/** Passes every byte on to `url`, but cuts each connection (both sides, without a word) after up to `lifeMs`. */
export async function aRelayThatCuts(url: string, lifeMs: number, seed: number): Promise<ARelay> {
  const random = seeded(seed);
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const both = [near, far];
    const cut = setTimeout(() => {
      cuts += 1;
      for (const socket of both) socket.resetAndDestroy();
    }, random() * lifeMs);
    for (const socket of both) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearTimeout(cut);
        open.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
