import { describe, expect, test } from 'vitest';
import { readSettings } from '../../cdk/settings.ts';

const read = (context: Record<string, unknown>) => readSettings((key) => context[key]);

describe('settings of a deployment', () => {
  test('have defaults that need nothing of the account', () => {
    expect(read({})).toEqual({
      network: { kind: 'own', zones: 3 },
      launchesPerSec: 18,
      stopsPerSec: 10,
      historyDays: 30,
      taskRoles: {},
    });
  });

  test('come as text from the command line', () => {
    expect(read({ zones: '2', launchesPerSec: '5', stopsPerSec: '0.5', historyDays: '90' })).toEqual({
      network: { kind: 'own', zones: 2 },
      launchesPerSec: 5,
      stopsPerSec: 0.5,
      historyDays: 90,
      taskRoles: {},
    });
  });

  test('take a VPC that exists', () => {
    expect(read({ vpcId: 'vpc-1', subnetIds: 'subnet-1, subnet-2' }).network).toEqual({
      kind: 'given',
      vpcId: 'vpc-1',
      subnetIds: ['subnet-1', 'subnet-2'],
      assignPublicIp: 'ENABLED',
    });
  });

  test('map service accounts to task roles', () => {
    const [a, b] = ['arn:aws:iam::123456789012:role/a', 'arn:aws-cn:iam::123456789012:role/path/b'];
    expect(read({ taskRoles: `default/reports=${a}, other/x.y=${b}` }).taskRoles).toEqual({
      'default/reports': a,
      'other/x.y': b,
    });
  });

  test.each([
    [{ taskRoles: 'reports=arn:aws:iam::123456789012:role/a' }, 'taskRoles'],
    [{ taskRoles: 'default/reports=a' }, 'taskRoles'],
    [{ vpcId: 'vpc-1' }, 'subnetIds'],
    [{ subnetIds: 'subnet-1' }, 'subnetIds'],
    [{ vpcId: 'vpc-1', subnetIds: '' }, 'subnetIds'],
    [{ zones: '4' }, 'zones'],
    [{ launchesPerSec: '0' }, 'launchesPerSec'],
    [{ launchesPerSec: 'many' }, 'launchesPerSec'],
    [{ historyDays: '31' }, 'historyDays'],
    [{ assignPublicIp: 'yes' }, 'assignPublicIp'],
  ])('%o is refused by name', (context, name) => {
    expect(() => read(context)).toThrow(name);
  });
});
