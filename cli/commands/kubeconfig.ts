import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { kubeconfigText } from '../../local/kubeconfig.ts';
import { isExecuteApi } from '../../local/proxy/upstream.ts';
import { Failure, usageFailure } from '../failure.ts';
import { LOOPBACK } from '../client/kubeconfig.ts';
import { reach } from '../client/reach.ts';
import { shellQuoted } from '../shell-quoted.ts';
import type { Shell } from '../shell.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';

export type KubeconfigFlags = {
  /** null: the runtime of this folder, found as in every other command */
  readonly server: string | null;
  /** null: the namespace in that runtime's kubeconfig */
  readonly namespace: string | null;
  /** The name of the context. */
  readonly context: string;
  /** null: standard output */
  readonly output: string | null;
  readonly kubeconfig: string | null;
};

/** `muster kubeconfig`: prints a kubeconfig for kubectl and client libraries. Never changes an existing file. */
export async function printKubeconfig(flags: KubeconfigFlags, shell: Shell): Promise<number> {
  const { server, namespace, token } = flags.server === null ? await running(flags, shell) : given(flags.server);
  const text = kubeconfigText({ server, token, name: flags.context, namespace: flags.namespace ?? namespace });
  if (flags.output === null) shell.out.write(text);
  else write(flags.output, text, shell);
  return 0;
}

type Reached = { readonly server: string; readonly namespace: string; readonly token: string | null };

/** The server that all commands here use. It must answer, because the printed kubeconfig has to work. */
async function running({ kubeconfig }: KubeconfigFlags, shell: Shell): Promise<Reached> {
  return (await reach(kubeconfig, shell)).target;
}

function given(server: string): Reached {
  const { protocol, hostname, username, password, search, hash } = new URL(server);
  if (isExecuteApi(hostname))
    throw usageFailure(
      `${server} requires signed requests, and kubectl cannot sign: run \`muster proxy --server ${shellQuoted(server)}\` ` +
        'and pass the address that it prints to --server',
    );
  if (protocol === 'http:' && !LOOPBACK.includes(hostname))
    throw usageFailure(`${server}: plain http is allowed only on this machine`);
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    throw usageFailure(`--server takes only a host and a path`);
  return { server: server.replace(/\/+$/, ''), namespace: 'default', token: null };
}

function write(file: string, text: string, shell: Shell): void {
  const path = resolve(shell.cwd, file);
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST')
      throw new Failure(`error: ${file} already exists and was not changed; KUBECONFIG may name several files`);
    if (code === 'ENOENT') throw usageFailure(`${file}: its folder does not exist`);
    throw new Failure(`error: ${file} cannot be written: ${messageOf(error)}`);
  }
  shell.err.write(`export KUBECONFIG=${shellQuoted(path)}\n`);
}
