import { expect, test } from 'vitest';
import { type SessionClients, awsSessions } from '../../adapters/aws-sessions.ts';

const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/Muster-Cluster';
const TASK = 'arn:aws:ecs:eu-west-1:123456789012:task/Muster-Cluster/abc';
const RUNNING = { name: 'main', lastStatus: 'RUNNING', runtimeId: 'abc-0001' };

/** Sessions over clients that answer so, by the name of the command, and what they were asked. */
function asking(answers: Readonly<Record<string, object | Error>>) {
  const asked: [string, unknown][] = [];
  const send = async (command: object): Promise<unknown> => {
    const name = command.constructor.name.replace(/Command$/, '');
    asked.push([name, Reflect.get(command, 'input')]);
    const answer = answers[name] ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const clients = { ecs: { send }, ssm: { send } } as unknown as SessionClients;
  return { sessions: awsSessions(clients, CLUSTER), asked };
}

const named = (name: string, message = ''): Error => Object.assign(new Error(message), { name });

test('a command is one text, in a terminal, in a container of the task', async () => {
  const session = { sessionId: 's', streamUrl: 'wss://x', tokenValue: 't' };
  const { sessions, asked } = asking({ ExecuteCommand: { session } });
  const outcome = await sessions.run({ taskId: 'abc', container: 'main' }, ['sh', '-c', "echo 'hi'"]);
  expect(outcome).toEqual({ kind: 'opened', session });
  expect(asked).toEqual([
    [
      'ExecuteCommand',
      {
        cluster: CLUSTER,
        task: TASK,
        container: 'main',
        command: String.raw`'sh' '-c' 'echo '\''hi'\'''`,
        interactive: true,
      },
    ],
  ]);
});

test('a port is that of a container that runs, by its runtime id', async () => {
  const tasks = [{ containers: [{ name: 'init', lastStatus: 'STOPPED', runtimeId: 'abc-0000' }, RUNNING] }];
  const { sessions, asked } = asking({
    DescribeTasks: { tasks },
    StartSession: { SessionId: 's', StreamUrl: 'wss://x', TokenValue: 't' },
  });
  expect(await sessions.forward({ taskId: 'abc', container: null }, 8080)).toMatchObject({ kind: 'opened' });
  expect(asked).toEqual([
    ['DescribeTasks', { cluster: CLUSTER, tasks: [TASK] }],
    [
      'StartSession',
      {
        Target: 'ecs:Muster-Cluster_abc_abc-0001',
        DocumentName: 'AWS-StartPortForwardingSession',
        Parameters: { portNumber: ['8080'] },
      },
    ],
  ]);
});

test('a task that is gone has no port', async () => {
  const { sessions } = asking({ DescribeTasks: { tasks: [] } });
  expect(await sessions.forward({ taskId: 'abc', container: null }, 80)).toMatchObject({ kind: 'refused' });
});

test.each([
  ['TargetNotConnectedException', '', 'refused', /setting exec/],
  [
    'InvalidParameterException',
    'The execute command failed because execute command was not enabled',
    'refused',
    /setting exec/,
  ],
  ['InvalidParameterException', 'container is not there', 'refused', /container is not there/],
  ['ThrottlingException', 'Rate exceeded', 'busy', /busy/],
])('what ECS says is said: %s %s', async (name, message, kind, why) => {
  const { sessions } = asking({ ExecuteCommand: named(name, message) });
  const outcome = await sessions.run({ taskId: 'abc', container: 'main' }, ['ls']);
  expect(outcome).toMatchObject({ kind, why: expect.stringMatching(why) as unknown });
});

test('what nobody expects is thrown, but for the end of a session that has ended', async () => {
  const denied = asking({
    ExecuteCommand: named('AccessDeniedException', 'not allowed'),
    TerminateSession: named('DoesNotExistException'),
  });
  await expect(denied.sessions.run({ taskId: 'abc', container: 'main' }, ['ls'])).rejects.toThrow('not allowed');
  await expect(denied.sessions.end('s')).resolves.toBeUndefined();
  expect(denied.asked.at(-1)).toEqual(['TerminateSession', { SessionId: 's' }]);
  const broken = asking({ TerminateSession: named('AccessDeniedException', 'not allowed') });
  await expect(broken.sessions.end('s')).rejects.toThrow('not allowed');
});
