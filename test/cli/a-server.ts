import type { DataFolderSize } from '../../shared/ports/gathered/folder-size.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { runCommandLine } from '../../cli/program/program.ts';
import { writeKubeconfig } from '../../local/kubeconfig.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';
import type { Authenticate } from '../../shared/kube/http/api-deps.ts';
import type { Submissions } from '../../shared/ports/submissions.ts';
import { type World, aWorld } from '../kube/a-world.ts';
import { type AShell, aShell } from './a-shell.ts';

/** Answers instead of the API; true: it has. */
export type Interception = (request: IncomingMessage, response: ServerResponse) => boolean;

export type ServerWish = {
  /** Done one after the other, one whenever a watch waits for news. */
  readonly steps?: readonly ((world: World) => Promise<void> | void)[];
  /** Seconds of the world's time after which the server ends a watch; a second is one look at the feed. */
  readonly streamMaxSec?: number;
  readonly intercept?: Interception;
  /** What the server's data folder takes of its disk; omitted: it has none. */
  readonly dataFolder?: DataFolderSize;
  /** Who may call it; omitted: everybody. */
  readonly authenticate?: Authenticate;
  /** The submit queue; omitted: there is none. */
  readonly submissions?: Submissions;
};

/** The API of a world, served on loopback as the embedded runtime does, in a folder with its `.muster/kubeconfig`. */
export async function aServer({ steps = [], intercept, dataFolder, submissions, ...options }: ServerWish = {}) {
  let next = 0;
  const world: World = await aWorld(
    { embedded: true, ...options },
    {
      ...(dataFolder === undefined ? {} : { dataFolder: async () => dataFolder }),
      ...(submissions === undefined ? {} : { submissions }),
      async onSleep() {
        await new Promise((resolve) => setTimeout(resolve, 2));
        await steps[next++]?.(world);
      },
    },
  );
  const requests: string[] = [];
  const answer = getRequestListener(world.app.fetch, { overrideGlobalObjects: false });
  const listen = async () =>
    listenOnLoopback((request, response) => {
      requests.push(`${request.method} ${decodeURIComponent(request.url ?? '')}`);
      if (intercept?.(request, response) !== true) void answer(request, response);
    });
  let server = await listen();
  const dir = mkdtempSync(join(tmpdir(), 'muster-cli-'));
  mkdirSync(join(dir, '.muster'));
  writeKubeconfig(join(dir, '.muster'), server.url);
  onTestFinished(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    world,
    dir,
    url: server.url,
    requests,
    close: async () => server.close(),
    /** At another address, which the kubeconfig then has. */
    openAgain: async () => {
      server = await listen();
      writeKubeconfig(join(dir, '.muster'), server.url);
    },
    /** What the API answers. */
    json: async (path: string): Promise<unknown> => (await fetch(server.url + path)).json(),
    /** Writes a file of the folder. */
    file: (name: string, content: string | object): void =>
      writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content)),
    /** Runs a command line in the folder, as a user would. */
    run: async (line: string, wish: Omit<Parameters<typeof aShell>[0], 'cwd'> = {}) => {
      const shell = aShell({ cwd: dir, ...wish });
      const code = await runCommandLine(line.split(' '), shell.shell);
      return { code, out: shell.out(), err: shell.err() };
    },
    shell: (wish: Omit<Parameters<typeof aShell>[0], 'cwd'> = {}): AShell => aShell({ cwd: dir, ...wish }),
  };
}

export type AServer = Awaited<ReturnType<typeof aServer>>;
