import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { kubeconfigText } from '../../local/kubeconfig.ts';
import { ownCommand, withCommandWord } from '../text/command-word.ts';
import { deployedAt } from '../client/deployed-at.ts';
import { execUser } from '../client/exec-user.ts';
import { Failure, usageFailure } from '../shell/failure.ts';
import { LOOPBACK, findTarget } from '../client/kubeconfig.ts';
import { connect } from '../client/kube-client.ts';
import { userNamed, usersIn } from '../shell/users-file.ts';
import { reach } from '../client/reach.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import type { Shell } from '../shell/shell.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';

export type KubeconfigFlags = {
  /** null: the runtime of this folder, found as in every other command */
  readonly server: string | null;
  /** What tokens are signed for; null: the id in the server's name, or no tokens. */
  readonly cluster: string | null;
  /** null: the one in the server's name */
  readonly region: string | null;
  /** Of the AWS configuration, to sign tokens with; null: the usual one. */
  readonly profile: string | null;
  /** A file of users, and the one whose token is printed; null: what the server's kubeconfig has. */
  readonly as: { readonly users: string; readonly name: string } | null;
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
  const { server, namespace, user } =
    flags.server === null ? await running(flags, shell) : given(flags.server, flags, shell);
  const text = kubeconfigText({ server, user, name: flags.context, namespace: flags.namespace ?? namespace });
  if (flags.output === null) shell.out.write(text);
  else write(flags.output, text, shell);
  return 0;
}

type Reached = { readonly server: string; readonly namespace: string; readonly user: object };

/** The server that all commands here use. It must answer, because the printed kubeconfig has to work. */
async function running({ kubeconfig, as }: KubeconfigFlags, shell: Shell): Promise<Reached> {
  if (as !== null) {
    const { token } = userNamed(as.name, usersIn(as.users, shell), as.users);
    const { server, namespace } = (await connect({ ...findTarget(kubeconfig, shell).target, token })).target;
    return { server, namespace, user: { token } };
  }
  const { server, namespace, token, signed } = (await reach(kubeconfig, shell)).target;
  if (signed !== undefined) return { server, namespace, user: execUser(ownCommand(shell.env), signed) };
  return { server, namespace, user: token === null ? {} : { token } };
}

function given(server: string, { cluster, region, profile }: KubeconfigFlags, shell: Shell): Reached {
  const { protocol, hostname, search, hash } = new URL(server);
  if (protocol === 'http:' && !LOOPBACK.includes(hostname))
    throw usageFailure(`${server}: plain http is allowed only on this machine`);
  if (search !== '' || hash !== '') throw usageFailure(`--server takes only a host and a path`);
  const reached = { server: server.replace(/\/+$/, ''), namespace: 'default' };
  const at = deployedAt(server);
  const clusterId = cluster ?? at?.clusterId;
  if (clusterId === undefined) return { ...reached, user: {} };
  if (protocol === 'http:')
    throw usageFailure('--cluster needs an https address: clients send no token over plain http');
  const signedIn = region ?? at?.region;
  if (signedIn === undefined) throw usageFailure(`${hostname} does not include its Region: set --region`);
  if (cluster === null)
    shell.err.write(
      withCommandWord('For a deployment with `auth=token`. With `auth=iam`, run `muster proxy` instead.\n', shell.env),
    );
  const user = execUser(ownCommand(shell.env), { clusterId, region: signedIn, profile });
  return { ...reached, user };
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
