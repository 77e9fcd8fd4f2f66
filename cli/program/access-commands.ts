import type { Command } from 'commander';
import { type Done, common, examples, namespaceOption } from '../shell/command-parts.ts';
import { usageFailure } from '../shell/failure.ts';
import { httpUrl, serverPort, tokenCluster } from '../shell/option-values.ts';
import type { Shell } from '../shell/shell.ts';

// How clients other than `muster` reach a Muster: kubectl, client libraries.

const EXAMPLES = {
  kubeconfig: examples(
    'muster kubeconfig > muster.kubeconfig  # of the `muster local` that was started here',
    'muster kubeconfig --users users.csv --user kim -o kim.kubeconfig',
    'muster kubeconfig --server http://127.0.0.1:8001 --namespace team -o muster.kubeconfig',
    'muster kubeconfig --server https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s -o aws.kubeconfig',
    'KUBECONFIG=muster.kubeconfig kubectl get jobs',
  ),
  token: examples(
    'muster token --server https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s',
    'AWS_PROFILE=work muster token --cluster muster/a1b2c3 --region eu-west-1 | jq -r .status.token',
  ),
  proxy: examples(
    'muster proxy --server https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s',
    'MUSTER_SERVER=https://... AWS_PROFILE=work muster proxy --port 8002',
    'muster kubeconfig --server http://127.0.0.1:8001 -o muster.kubeconfig',
    'KUBECONFIG=muster.kubeconfig kubectl get jobs',
  ),
} as const;

type KubeconfigOptions = {
  readonly server?: string;
  readonly cluster?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly users?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly context: string;
  readonly output?: string;
};

export function addKubeconfig(program: Command, shell: Shell, done: Done): void {
  program
    .command('kubeconfig')
    .summary('print a kubeconfig, for kubectl and client libraries')
    .description(
      'Prints a kubeconfig for a Muster: the embedded one that runs here, one on AWS whose clients send tokens,\n' +
        'or one behind a proxy. For tokens, clients run `muster token`, which must be installed.',
    )
    .option(
      '-s, --server <url>',
      'the output ApiUrl, or the address of `muster proxy` (default: what runs here)',
      httpUrl,
    )
    .option('--cluster <id>', "the output TokenCluster (default: by the server's name)", tokenCluster)
    .option('--region <region>', "of the deployment (default: the one in the server's name)")
    .option('--profile <name>', 'of the AWS configuration, to sign tokens with')
    .option('--users <file>', 'of `muster local`, with --user')
    .option('--user <name>', 'of --users: print the token of this user')
    .addOption(namespaceOption())
    .option('--context <name>', 'the name of the context', 'muster')
    .option('-o, --output <file>', 'write to this file, which must not exist yet')
    .addHelpText('after', EXAMPLES.kubeconfig)
    .action(async (flags: KubeconfigOptions) => {
      const { printKubeconfig } = await import('../commands/kubeconfig.ts');
      const { server = null, cluster = null, region = null, profile = null, context, output = null } = flags;
      const { users, user } = flags;
      if ((users === undefined) !== (user === undefined)) throw usageFailure('--users and --user need each other');
      if (users !== undefined && server !== null)
        throw usageFailure('--users is for the server that runs here, without --server');
      const as = users === undefined || user === undefined ? null : { users, name: user };
      const sign = { cluster, region, profile, as };
      done(await printKubeconfig({ server, ...sign, context, output, ...common(program, flags) }, shell));
    });
}

type TokenOptions = { readonly server?: string; readonly cluster?: string; readonly region?: string };

export function addToken(program: Command, shell: Shell, done: Done): void {
  program
    .command('token')
    .summary('print a token for a Muster on AWS')
    .description(
      'Prints a token for a Muster on AWS, as an ExecCredential: kubectl and client libraries run this command if\n' +
        'their kubeconfig says so (muster kubeconfig). It is signed here, with credentials found as the AWS CLI does,\n' +
        'and says for a quarter of an hour who you are. Do not print it into logs.',
    )
    .option('-s, --server <url>', 'the output ApiUrl of the deployment (default: MUSTER_SERVER)', httpUrl)
    .option('--cluster <id>', "the output TokenCluster (default: by the server's name)", tokenCluster)
    .option('--region <region>', "of the deployment (default: the one in the server's name, else AWS_REGION)")
    .addHelpText('after', EXAMPLES.token)
    .action(async (flags: TokenOptions) => {
      const { printToken } = await import('../commands/token.ts');
      const { server = null, cluster = null, region = null } = flags;
      done(await printToken({ server, cluster, region }, shell));
    });
}

type ProxyOptions = { readonly server?: string; readonly region?: string; readonly port: number };

/** kubectl proxy's port. */
const PROXY_PORT = 8001;

export function addProxy(program: Command, shell: Shell, done: Done): void {
  program
    .command('proxy')
    .summary('sign requests for a Muster on AWS')
    .description(
      'Listens on 127.0.0.1, for you alone, and forwards requests to a Muster on AWS, signed with your credentials.\n' +
        'It finds them as the AWS CLI does: environment, AWS_PROFILE, SSO, container, instance.',
    )
    .option('-s, --server <url>', 'the output ApiUrl of the deployment (default: MUSTER_SERVER)', httpUrl)
    .option('--region <region>', "of the API (default: the one in the server's name)")
    .option('-p, --port <port>', 'on 127.0.0.1; 0: any free port', serverPort, PROXY_PORT)
    .addHelpText('after', EXAMPLES.proxy)
    .action(async (flags: ProxyOptions) => {
      const { runProxy } = await import('../commands/proxy.ts');
      const { server = null, region = null, port } = flags;
      done(await runProxy({ server, region, port }, shell));
    });
}
