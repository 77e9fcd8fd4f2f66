import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { kubeconfigText } from '../../local/kubeconfig.ts';
import { isExecuteApi } from '../../local/proxy/upstream.ts';
import { Failure, usageFailure } from '../failure.ts';
import { LOOPBACK } from '../kubeconfig.ts';
import { reach } from '../reach.ts';
import { shellQuoted } from '../shell-quoted.ts';
import type { Shell } from '../shell.ts';

export type KubeconfigFlags = {
  /** null: the runtime of this folder, found as every command finds it */
  readonly server: string | null;
  /** null: what that runtime's kubeconfig says */
  readonly namespace: string | null;
  /** Of the context. */
  readonly context: string;
  /** null: standard output */
  readonly output: string | null;
  readonly kubeconfig: string | null;
};

/** `muster kubeconfig`: a kubeconfig for kubectl and client libraries. No file that exists is ever touched. */
export async function printKubeconfig(flags: KubeconfigFlags, shell: Shell): Promise<number> {
  const { server, namespace, token } = flags.server === null ? await running(flags, shell) : given(flags.server);
  const text = kubeconfigText({ server, token, name: flags.context, namespace: flags.namespace ?? namespace });
  if (flags.output === null) shell.out.write(text);
  else write(flags.output, text, shell);
  return 0;
}

type Reached = { readonly server: string; readonly namespace: string; readonly token: string | null };

/** The server that all commands here talk to. It has to answer: what is printed is meant to work. */
async function running({ kubeconfig }: KubeconfigFlags, shell: Shell): Promise<Reached> {
  return (await reach(kubeconfig, shell)).target;
}

function given(server: string): Reached {
  const { protocol, hostname, username, password, search, hash } = new URL(server);
  if (isExecuteApi(hostname))
    throw usageFailure(
      `${server} asks for signed requests, and kubectl cannot sign: run \`muster proxy --server ${shellQuoted(server)}\` ` +
        'and give --server the address that it prints',
    );
  if (protocol === 'http:' && !LOOPBACK.includes(hostname))
    throw usageFailure(`${server}: plain http is spoken with this machine only`);
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    throw usageFailure(`--server takes a host and a path, nothing else`);
  return { server: server.replace(/\/+$/, ''), namespace: 'default', token: null };
}

function write(file: string, text: string, shell: Shell): void {
  const path = resolve(shell.cwd, file);
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST')
      throw new Failure(`error: ${file} exists, and is left as it is; KUBECONFIG may name several files`);
    if (code === 'ENOENT') throw usageFailure(`${file}: there is no such folder`);
    throw new Failure(`error: ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
  shell.err.write(`export KUBECONFIG=${shellQuoted(path)}\n`);
}
