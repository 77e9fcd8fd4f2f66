import { DescribeTasksCommand, ECSClient, ExecuteCommandCommand } from '@aws-sdk/client-ecs';
import { SSMClient, StartSessionCommand, TerminateSessionCommand } from '@aws-sdk/client-ssm';
import { type Connection, clientConfig, unlogged } from '../../../adapters/aws/connection.ts';
import { PORT_DOCUMENT } from '../../../names/sessions.ts';
import { asOneText } from '../domain/exec-script.ts';
import type { OpenOutcome, RemoteSessions } from '../ports/remote-sessions.ts';

/** A person waits. */
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 8_000, maxSockets: 16 };

export type SessionClients = { readonly ecs: ECSClient; readonly ssm: SSMClient };

declare module '../../../runtime/sdk-client.ts' {
  interface CapabilityClients {
    readonly ofSessions: SessionClients[keyof SessionClients];
  }
}

/** Both log nothing: what they answer holds tokens. */
export const createSessionClients = (connection: Connection): SessionClients => ({
  ecs: unlogged(new ECSClient(clientConfig(connection, PATIENCE))),
  ssm: unlogged(new SSMClient(clientConfig(connection, PATIENCE))),
});

/** Sessions by ECS Exec, and by Session Manager for ports. */
export function awsSessions({ ecs, ssm }: SessionClients, cluster: string): RemoteSessions {
  const arnOf = (taskId: string): string => `${cluster.replace(':cluster/', ':task/')}/${taskId}`;
  const runtimeIdOf = async (taskId: string, container: string | null): Promise<string | null> => {
    const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster, tasks: [arnOf(taskId)] }));
    const running = tasks[0]?.containers?.find(
      ({ name, lastStatus }) => lastStatus === 'RUNNING' && (container === null || name === container),
    );
    return running?.runtimeId ?? null;
  };
  return {
    run: async ({ taskId, container }, words) =>
      outcomeOf(async () => {
        const command = asOneText(words);
        const { session } = await ecs.send(
          new ExecuteCommandCommand({ cluster, task: arnOf(taskId), container, command, interactive: true }),
        );
        return session;
      }),
    forward: async ({ taskId, container }, port) =>
      outcomeOf(async () => {
        const runtimeId = await runtimeIdOf(taskId, container);
        if (runtimeId === null) return null;
        const target = `ecs:${cluster.slice(cluster.lastIndexOf('/') + 1)}_${taskId}_${runtimeId}`;
        const answer = await ssm.send(
          new StartSessionCommand({
            Target: target,
            DocumentName: PORT_DOCUMENT,
            Parameters: { portNumber: [String(port)] },
          }),
        );
        return { sessionId: answer.SessionId, streamUrl: answer.StreamUrl, tokenValue: answer.TokenValue };
      }),
    async end(sessionId) {
      await ssm.send(new TerminateSessionCommand({ SessionId: sessionId })).catch((error: unknown) => {
        if (!(error instanceof Error) || !GONE.test(error.name)) throw error;
      });
    },
  };
}

const GONE = /^(DoesNotExistException|InvalidSession\w*)$/;

type Answered = {
  readonly sessionId?: string | undefined;
  readonly streamUrl?: string | undefined;
  readonly tokenValue?: string | undefined;
};

async function outcomeOf(ask: () => Promise<Answered | null | undefined>): Promise<OpenOutcome> {
  try {
    const answer = await ask();
    const { sessionId, streamUrl, tokenValue } = answer ?? {};
    if (sessionId === undefined || streamUrl === undefined || tokenValue === undefined)
      return { kind: 'refused', why: 'its container does not run' };
    return { kind: 'opened', session: { sessionId, streamUrl, tokenValue } };
  } catch (error) {
    const outcome = refusalIn(error);
    if (outcome === null) throw error;
    return outcome;
  }
}

const NOT_CONNECTED =
  'ECS Exec does not reach its container: it was launched before the setting exec was set, its agent has not started yet or has ended, ' +
  'its role may not use ssmmessages, or its network does not reach that service';

/** What the services say of tasks and containers (ECS API, ExecuteCommand; Systems Manager API, StartSession). */
function refusalIn(error: unknown): Exclude<OpenOutcome, { readonly kind: 'opened' }> | null {
  if (!(error instanceof Error)) return null;
  if (error.name === 'TargetNotConnectedException' || error.name === 'TargetNotConnected')
    return { kind: 'refused', why: NOT_CONNECTED };
  if (error.name === 'InvalidParameterException' || error.name === 'ClientException')
    return {
      kind: 'refused',
      why: /execute command/i.test(error.message) ? NOT_CONNECTED : `ECS says: ${error.message}`,
    };
  if (/^(ThrottlingException|ThrottledException|ServerException|InternalServerError)$/.test(error.name))
    return { kind: 'busy', why: 'AWS is busy; try again' };
  return null;
}
