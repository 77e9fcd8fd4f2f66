import { expect, test } from 'vitest';
import { musterTemplate } from './template.ts';

const EXEC = /ExecuteCommand|StartSession|TerminateSession|ssmmessages|MUSTER_EXEC\b/;

test('without the setting nothing of commands in tasks is in the template', () => {
  expect(musterTemplate().json()).not.toMatch(EXEC);
});

test('with it the agent may open channels, and the API alone may ask for commands, in tasks of the cluster', () => {
  const stack = musterTemplate({ exec: 'true' });
  const having = stack.rights.filter(({ actions }) => actions.some((action) => EXEC.test(action)));
  const owners = new Map(having.map(({ owner, actions }) => [actions.join(), owner]));
  expect([...owners.keys()].sort()).toEqual([
    'ecs:ExecuteCommand',
    'ssm:StartSession',
    'ssm:TerminateSession',
    'ssmmessages:CreateControlChannel,ssmmessages:CreateDataChannel,ssmmessages:OpenControlChannel,ssmmessages:OpenDataChannel',
  ]);
  for (const [actions, owner] of owners)
    expect(owner).toMatch(actions.startsWith('ssmmessages') ? /TaskRole/ : stack.roleOf('api'));
  const of = (action: string) => having.find(({ actions }) => actions.includes(action))!;
  expect(of('ecs:ExecuteCommand').condition).toHaveProperty(['ArnEquals', 'ecs:cluster']);
  expect(JSON.stringify(of('ecs:ExecuteCommand').resources)).toMatch(/:task\/",\{"Ref":"\w*Cluster\w*"\},"\/\*"/);
  expect(JSON.stringify(of('ssm:StartSession').resources)).toMatch(/::document\/AWS-StartPortForwardingSession/);
  expect(JSON.stringify(of('ssm:StartSession').resources)).not.toContain('"*"');
});

test('the API and dispatch know of it, and no other function', () => {
  const json = JSON.parse(musterTemplate({ exec: 'true' }).json()) as {
    readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: object }>>;
  };
  const knowing = Object.entries(json.Resources)
    .filter(([, { Properties }]) => JSON.stringify(Properties).includes('"MUSTER_EXEC"'))
    .map(([id]) => id.replace(/Function.*/, ''));
  expect(knowing.sort()).toEqual(['Api', 'Dispatch']);
});
