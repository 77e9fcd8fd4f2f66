import { themeFor } from '../render/theme.ts';
import type { SigningProxy } from '../../local/proxy/signing-proxy.ts';
import { VERSION } from '../../shared/names/version.ts';
import { Failure, usageFailure } from '../shell/failure.ts';
import { commandWord } from '../text/command-word.ts';
import { onceInterrupted } from '../shell/interrupt.ts';
import type { Shell } from '../shell/shell.ts';

export type ProxyFlags = {
  /** null: the value of MUSTER_SERVER */
  readonly server: string | null;
  /** null: the region in the server's host name */
  readonly region: string | null;
  /** the proxy's port; 0: any free port */
  readonly port: number;
};

/** `muster proxy`: signs requests for clients that cannot, until it receives a signal to stop. */
export async function runProxy(flags: ProxyFlags, shell: Shell): Promise<number> {
  const server = flags.server ?? shell.env['MUSTER_SERVER'] ?? '';
  if (server === '')
    throw usageFailure('no server given: set --server or MUSTER_SERVER to the output ApiUrl of the deployment');
  const { readUpstream } = await import('../../local/proxy/upstream.ts');
  const read = readUpstream(server, flags.region);
  if (read.kind === 'bad') throw usageFailure(read.reason);
  const { upstream } = read;
  const stopping = onceInterrupted(shell, 'Stopped immediately.');
  const { startGatewayProxy } = await import('../../local/proxy/gateway-proxy.ts');
  const options = { upstream, port: flags.port, now: shell.now, say: (line: string) => shell.err.write(`${line}\n`) };
  const proxy = await startGatewayProxy(options).catch((error: unknown) => {
    throw explained(error, flags.port);
  });
  shell.out.write(banner(proxy, `${upstream.protocol}//${upstream.host}${upstream.prefix}`, upstream.region, shell));
  await stopping;
  await proxy.close();
  shell.err.write('\nStopped.\n');
  return 0;
}

function explained(error: unknown, port: number): unknown {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken
    ? new Failure(`error: port ${port} is in use; choose another with --port, or --port 0 for any free port`)
    : error;
}

function banner({ url, page }: SigningProxy, server: string, region: string, shell: Shell): string {
  const { paint } = themeFor(shell.out, shell.env);
  const row = (name: string, value: string): string => `  ${paint.dim(name.padEnd(10))} ${value}`;
  return `${[
    `${paint.bold('Muster')} ${VERSION} proxy is ready`,
    '',
    row('API', paint.cyan(url)),
    ...(page === null ? [] : [row('page', paint.cyan(page))]),
    row('signs for', `${server} (${region})`),
    '',
    'In another terminal:',
    `  ${commandWord(shell.env)} kubeconfig --server ${url} > muster.kubeconfig`,
    '  export KUBECONFIG=$PWD/muster.kubeconfig',
    '  kubectl get jobs',
    '',
    'Ctrl-C stops it. Your Jobs continue.',
  ].join('\n')}\n`;
}
