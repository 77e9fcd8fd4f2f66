import { expect, test } from 'vitest';
import { DISPATCH_ENV } from '../../shared/names/env.ts';
import { type Json, musterTemplate } from './template.ts';

const NFS = 'AWS::EC2::SecurityGroupIngress';
const isOfFiles = ({ actions }: { readonly actions: readonly string[] }): boolean =>
  actions.some((action) => action.startsWith('elasticfilesystem:'));

const plain = musterTemplate();

test('without the settings there is nothing of storage', () => {
  expect(plain.json()).not.toMatch(/elasticfilesystem|InfrastructureRole|2049|VOLUME_ROLE/);
});

test('tasks may mount the file systems that are named, and reach those whose group is', () => {
  const stack = musterTemplate({ efs: 'fs-0123456789abcdef0@sg-0123456789abcdef0,fs-0123456789abcdef1:root' });
  const rights = stack.rights.filter(isOfFiles);
  const [role, ...others] = [...new Set(rights.map(({ owner }) => owner))];
  expect([others, role]).toEqual([[], expect.stringMatching(/TaskRole/)]);
  expect(
    rights.map(({ actions, resources }) => [
      actions.join(),
      /file-system\/[\w-]+/.exec(JSON.stringify(resources))?.[0],
    ]),
  ).toEqual([
    ['elasticfilesystem:ClientMount,elasticfilesystem:ClientWrite', 'file-system/fs-0123456789abcdef0'],
    [
      'elasticfilesystem:ClientMount,elasticfilesystem:ClientRootAccess,elasticfilesystem:ClientWrite',
      'file-system/fs-0123456789abcdef1',
    ],
  ]);
  for (const { condition } of rights)
    expect(condition).toEqual({ Bool: { 'elasticfilesystem:AccessedViaMountTarget': 'true' } });
  const rules = [...stack.all(NFS).values()].map(({ Properties }) => Properties);
  expect(rules).toHaveLength(1);
  expect(rules[0]).toMatchObject({ GroupId: 'sg-0123456789abcdef0', IpProtocol: 'tcp', FromPort: 2049, ToPort: 2049 });
  expect(JSON.stringify(rules[0]?.['SourceSecurityGroupId'])).toMatch(/NetworkTasks/);
  expect(Object.keys(stack.outputs)).toEqual(expect.arrayContaining(['TaskSecurityGroup', 'TaskSubnets']));
});

test('the same in a network that is given', () => {
  const stack = musterTemplate({
    efs: 'fs-0123456789abcdef0@sg-0123456789abcdef0,fs-0123456789abcdef1@sg-0123456789abcdef0',
    vpcId: 'vpc-0123456789abcdef0',
    subnetIds: 'subnet-0123456789abcdef0',
  });
  expect(stack.count(NFS, { GroupId: 'sg-0123456789abcdef0' })).toBe(1);
});

test('ECS makes volumes with a role of its own, which dispatch alone may pass', () => {
  const stack = musterTemplate({ ebs: 'true' });
  const [id, role] = [...stack.all('AWS::IAM::Role')].find(([name]) => name.includes('VolumeRole')) ?? ['', null];
  expect(JSON.stringify(role?.Properties['AssumeRolePolicyDocument'])).toContain('"Service":"ecs.amazonaws.com"');
  expect(JSON.stringify(role?.Properties['AssumeRolePolicyDocument'])).toContain('aws:SourceAccount');
  expect(JSON.stringify(role?.Properties['ManagedPolicyArns'])).toContain(
    'service-role/AmazonECSInfrastructureRolePolicyForVolumes',
  );
  const passing = stack.rights.filter(({ resources }) => JSON.stringify(resources).includes(id));
  expect(passing).toEqual([
    expect.objectContaining({
      owner: stack.roleOf('dispatch'),
      actions: ['iam:PassRole'],
      condition: { StringEquals: { 'iam:PassedToService': 'ecs.amazonaws.com' } },
    }),
  ]);
  const told = [...stack.functions.values()].filter(({ Properties }) =>
    Object.hasOwn((Properties['Environment'] as Json)['Variables'] as Json, DISPATCH_ENV.volumeRoleArn),
  );
  expect(told).toHaveLength(1);
});
