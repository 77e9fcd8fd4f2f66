import * as z from 'zod';

/** What tokens for a server are signed for. */
export type SignedFor = {
  readonly clusterId: string;
  readonly region: string;
  /** Of the AWS configuration; null: the usual one. */
  readonly profile: string | null;
};

const AWS_PROFILE = 'AWS_PROFILE';

/**
 * The user of a kubeconfig that lets clients run `muster token` (Kubernetes' client-go credential plugins). Nobody is asked anything,
 * and the cluster is in the arguments.
 *
 * @param command how this program is run
 */
export const execUser = (
  [command, ...args]: readonly [string, ...string[]],
  { clusterId, region, profile }: SignedFor,
) => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [...args, 'token', '--cluster', clusterId, '--region', region],
    ...(profile === null ? {} : { env: [{ name: AWS_PROFILE, value: profile }] }),
    interactiveMode: 'Never',
    provideClusterInfo: false,
    installHint: 'muster is not installed: npm install -g muster-jobs',
  },
});

const Exec = z.object({
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
});

/** Reads what {@link execUser} wrote; null: the program is another one. */
export function signedForOf(exec: unknown): SignedFor | null {
  const read = Exec.safeParse(exec);
  if (!read.success) return null;
  const { args, env } = read.data;
  const [command, ...pairs] = args.slice(-5);
  if (command !== 'token' || pairs[0] !== '--cluster' || pairs[2] !== '--region') return null;
  const [, clusterId = '', , region = ''] = pairs;
  return { clusterId, region, profile: env?.find(({ name }) => name === AWS_PROFILE)?.value ?? null };
}
