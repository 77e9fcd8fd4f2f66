import * as z from 'zod';
import { Failure, usageFailure } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';
import { deployedAt } from '../client/deployed-at.ts';

export type TokenFlags = {
  /** null: the one in the server's name */
  readonly cluster: string | null;
  /** null: MUSTER_SERVER */
  readonly server: string | null;
  /** null: the one in the server's name, else that of the environment */
  readonly region: string | null;
};

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;
const ExecInfo = z.object({ apiVersion: z.enum(VERSIONS) });

/** `muster token`: prints an ExecCredential, which kubectl and client libraries read. Calls no server. */
export async function printToken({ cluster, server, region }: TokenFlags, shell: Shell): Promise<number> {
  const { env } = shell;
  const apiVersion = wantedVersion(env['KUBERNETES_EXEC_INFO']);
  const at = deployedAt(server ?? env['MUSTER_SERVER'] ?? '');
  const clusterId = cluster ?? at?.clusterId;
  if (clusterId === undefined)
    throw usageFailure(
      'no cluster given: set --cluster to the output TokenCluster of the deployment, or --server to ApiUrl',
    );
  const signedIn = region ?? at?.region ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (signedIn === undefined) throw usageFailure("no Region given: set --region to the deployment's");
  const { ownToken } = await import('../../local/tokens/own-token.ts');
  const own = await ownToken({ clusterId, region: signedIn, profile: null, nowMs: shell.now() });
  if (own.kind === 'refused') throw new Failure(`error: ${own.reason}`);
  const expirationTimestamp = new Date(own.expiresMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const credential = {
    kind: 'ExecCredential',
    apiVersion,
    spec: {},
    status: { expirationTimestamp, token: own.token },
  };
  shell.out.write(`${JSON.stringify(credential)}\n`);
  return 0;
}

/** A client takes no other version than it asks for (client-go, `plugin/pkg/client/auth/exec`). */
function wantedVersion(info: string | undefined): (typeof VERSIONS)[number] {
  if (info === undefined || info === '') return VERSIONS[0];
  try {
    const read = ExecInfo.safeParse(JSON.parse(info));
    if (read.success) return read.data.apiVersion;
  } catch {
    // not JSON
  }
  throw new Failure(`error: KUBERNETES_EXEC_INFO asks for another version than ${VERSIONS.join(' or ')}`);
}
