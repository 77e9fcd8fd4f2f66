import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner } from '../../../../adapters/aws/sigv4.ts';
import { remoteSessionRoutes } from '../../../lists/remote/held-by-clients.ts';
import { openRemoteSessions } from '../../adapters/index.ts';
import { kubeApiOf } from '../../../../runtime/api.ts';
import { createRuntime } from '../../../../runtime/create-runtime.ts';
import { startFront } from '../../../../../local/front/api-front.ts';
import { startSigningProxy } from '../../../../../local/proxy/signing-proxy.ts';
import { readUpstream } from '../../../../../local/proxy/upstream.ts';
import {
  type LinkFaults,
  type MessageGateway,
  startMessageGateway,
} from '../../../../../test/fakes/message-gateway.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { eventually, shellJob } from '../../../../../test/e2e/kube-calls.ts';
import { checkWire } from '../../../../../test/models/wire-check.ts';
import { KEYS, REGION } from '../../../../../test/proxy/signing-gateway.ts';
import { onAskedRights } from '../../../../../test/rights/asked-rights.ts';
import { allowing } from '../../../../../test/rights/statements.ts';
import { LOCAL_PLACE, templateStatements } from '../../../../../test/rights/template-statements.ts';
import { environmentOf } from '../../../../../test/support/test-wiring.ts';

export type ARemoteApi = {
  readonly local: ALocalRuntime;
  readonly gateway: MessageGateway;
  /** The API that a proxy signs for. */
  readonly apiUrl: string;
  readonly proxyUrl: string;
  /** Of the proxy, and of the API itself. */
  readonly kubeconfig: { readonly proxy: string; readonly api: string };
  /** What is against the rights of the API, or against AWS's models. */
  readonly faults: readonly string[];
  /** Lines of the audit log, and everything that the API has said of itself. */
  readonly logged: readonly string[];
  aPod(name: string, script: string): Promise<string>;
  /** A Pod whose port 8080 answers with 100,000 characters. */
  aServer(): Promise<string>;
  close(): Promise<void>;
};

/** The file in which a server says where it listens. */
const LISTENS = 'listens';
const SERVER = `const at = process.env.MUSTER_ADDRESS;
require('node:http').createServer((_, answer) => answer.end('hello'.repeat(20000))).listen(8080, at, () =>
  require('node:fs').writeFileSync('${LISTENS}', at));`;

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
    users: [{ name: 'u', user: {} }],
    'current-context': 'c',
  });

/** An API as on AWS whose tasks are processes here, with the rights of its function, and `muster proxy` before it. */
export async function aRemoteApi(faults?: LinkFaults): Promise<ARemoteApi> {
  const local = await aLocalRuntime({ wiring: 'emulateAws', store: 'memory' });
  const { onClient: _, ...environment } = environmentOf(local.runtime);
  const gateway = await startMessageGateway({
    ecs: environment.endpoints.ecs ?? '',
    cwd: local.workspaceDir,
    // The server of a test says where it listens.
    address: async () => readFileSync(join(local.workspaceDir, LISTENS), 'utf8'),
    ...(faults === undefined ? {} : { faults }),
  });
  const statements = await templateStatements();
  const [found, logged]: [string[], string[]] = [[], []];
  const cluster = `arn:aws:ecs:${LOCAL_PLACE.region}:${LOCAL_PLACE.account}:cluster/muster`;
  const announcements = { eventBus: null, taskTokens: false, endpoint: null };
  const api = createRuntime({
    ...environment,
    telemetry: {
      ...environment.telemetry,
      info: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
      warn: (message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
    },
    onClient(client) {
      checkWire(client, 'both', (fault) => found.push(fault));
      onAskedRights(client, (rights) => {
        for (const right of rights)
          if (allowing(statements.api, right) === null) found.push(`${right.action} on ${right.resources.join()}`);
      });
    },
    ofFunction: {
      places: { announcements, parameters: null, secrets: null, sessions: { cluster, endpoint: gateway.endpoint } },
      open: [openRemoteSessions],
    },
  });
  const front = await startFront(kubeApiOf(api, remoteSessionRoutes(api.deps.ports)), 0);
  const read = readUpstream(front.url, REGION);
  if (read.kind === 'bad') throw new Error(read.reason);
  const signer = createSigner({
    region: REGION,
    service: 'execute-api',
    now: Date.now,
    findCredentials: () => async () => KEYS,
  });
  const proxy = await startSigningProxy({ upstream: read.upstream, port: 0, signer, now: Date.now });
  const kubeconfig = { proxy: join(local.root, 'proxy.kubeconfig'), api: join(local.root, 'api.kubeconfig') };
  writeFileSync(kubeconfig.proxy, kubeconfigOf(proxy.url));
  writeFileSync(kubeconfig.api, kubeconfigOf(front.url));
  const aPod = async (name: string, script: string): Promise<string> => {
    await local.kube.create(shellJob(name, script, { backoffLimit: 0 }));
    return eventually(
      async () => {
        const [pod] = await local.kube.pods(name);
        return pod !== undefined && pod.status.phase !== 'Pending' ? pod.metadata.name : null;
      },
      () => `${name} does not run`,
    );
  };
  return {
    local,
    gateway,
    apiUrl: front.url,
    proxyUrl: proxy.url,
    kubeconfig,
    faults: found,
    logged,
    aPod,
    async aServer() {
      writeFileSync(join(local.workspaceDir, 'server.cjs'), SERVER);
      const pod = await aPod('server', `exec "${process.execPath}" server.cjs`);
      await eventually(
        async () => (existsSync(join(local.workspaceDir, LISTENS)) ? true : null),
        () => 'the server does not listen',
      );
      return pod;
    },
    async close() {
      await proxy.close();
      await front.close();
      api.close();
      await gateway.close();
      await local.close();
    },
  };
}
