import type { Command } from 'commander';
import { type Done, common, examples, namespaceOption } from './command-parts.ts';
import { httpUrl, serverPort } from '../option-values.ts';
import type { Shell } from '../shell.ts';

// How clients other than `muster` reach a Muster: kubectl, client libraries.

const EXAMPLES = {
  kubeconfig: examples(
    'muster kubeconfig > muster.kubeconfig  # of the `muster local` that was started here',
    'muster kubeconfig --server http://127.0.0.1:8001 --namespace team -o muster.kubeconfig',
    'KUBECONFIG=muster.kubeconfig kubectl get jobs',
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
  readonly namespace?: string;
  readonly context: string;
  readonly output?: string;
};

export function addKubeconfig(program: Command, shell: Shell, done: Done): void {
  program
    .command('kubeconfig')
    .summary('print a kubeconfig, for kubectl and client libraries')
    .description('Prints a kubeconfig for a Muster: the embedded one that runs here, or one behind a proxy.')
    .option('-s, --server <url>', 'the address of `muster proxy` (default: the server that runs here)', httpUrl)
    .addOption(namespaceOption())
    .option('--context <name>', 'the name of the context', 'muster')
    .option('-o, --output <file>', 'write to this file, which must not exist yet')
    .addHelpText('after', EXAMPLES.kubeconfig)
    .action(async (flags: KubeconfigOptions) => {
      const { printKubeconfig } = await import('../commands/kubeconfig.ts');
      const { server = null, context, output = null } = flags;
      done(await printKubeconfig({ server, context, output, ...common(program, flags) }, shell));
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
