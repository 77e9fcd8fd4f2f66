import { expect, test } from 'vitest';
import { readSettings } from '../../cdk/settings.ts';
import { type Json, musterTemplate, ref } from './template.ts';

/** Lambda's limit for all variables of a function, measured as JSON (Lambda developer guide, quotas). */
const BYTES_MAX = 4_096;
const LONGEST_REGION = 'ap-southeast-1';
const LONGEST_PARTITION = 'aws-iso-b';
const ACCOUNT = '123456789012';

/** What names come to in the stack `Muster`: CloudFormation adds the logical id and twelve or thirteen characters. */
const nameOf = (id: string): string => `Muster-${id}-${'X'.repeat(13)}`;

/** The longest text that CloudFormation may put in for a reference. */
function longest(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'Fn::Join' in value) {
    const [between, parts] = value['Fn::Join'] as [string, readonly unknown[]];
    return parts.map(longest).join(between);
  }
  const id = ref(value);
  if (/Role[0-9A-F]{8}$/.test(id)) return `arn:${LONGEST_PARTITION}:iam::${ACCOUNT}:role/${nameOf(id)}`;
  if (/(Queue|Dead)[0-9A-F]{8}$/.test(id))
    return `https://sqs.${LONGEST_REGION}.amazonaws.com.cn/${ACCOUNT}/${nameOf(id)}`;
  if (id.startsWith('TasksCluster'))
    return `arn:${LONGEST_PARTITION}:ecs:${LONGEST_REGION}:${ACCOUNT}:cluster/${nameOf(id)}`;
  if (/Subnet|NetworkTasks|NamesNamespace/.test(id)) return 'subnet-0123456789abcdef0';
  if (/^(StateTable|TasksLog)/.test(id)) return nameOf(id);
  throw new Error(`how long is ${id}?`);
}

const roles = (count: number, of: string): string =>
  Array.from({ length: count }, (_, at) => `team-a/report-${at}=arn:aws:iam::${ACCOUNT}:role/${of}`).join(',');

/** Everything at its longest. */
const WIDEST = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: Array.from({ length: 16 }, () => 'subnet-0123456789abcdef0').join(','),
  assignPublicIp: 'DISABLED',
  hostnames: `${'z'.repeat(53)}.internal`,
  hostsMax: '100000',
  submissions: 'true',
  eventBus: `arn:aws-us-gov:events:us-gov-west-1:${ACCOUNT}:event-bus/${'b'.repeat(100)}`,
  taskTokens: 'true',
  historyDays: '400',
  formats: 'previous',
  ebs: 'true',
  exec: 'true',
  filesImage: 'i'.repeat(128),
};

/** What a function's variables come to when all of them are known. */
function bytesOf({ Environment }: Json): number {
  const { Variables } = Environment as { readonly Variables: Json };
  const measured = Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, longest(value)]));
  return Buffer.byteLength(JSON.stringify(measured));
}

test('the environment stays within the 4 KB of Lambda, whatever the settings', () => {
  const role = (length: number) => `default/x=arn:aws:iam::${ACCOUNT}:role/${'r'.repeat(length)}`;
  const isTaken = (length: number): boolean => {
    try {
      readSettings((key) => (key === 'taskRoles' ? role(length) : undefined));
      return true;
    } catch {
      return false;
    }
  };
  let most = 1;
  while (isTaken(most + 1)) most++;
  const widest = musterTemplate({ ...WIDEST, taskRoles: role(most) });
  for (const { Properties } of widest.functions.values()) {
    expect(JSON.stringify(Properties)).toContain('r'.repeat(most));
    const bytes = bytesOf(Properties);
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
    expect(bytes).toBeGreaterThan(BYTES_MAX - 300); // the bound is no tighter than it must be
  }
});

test('administrators share the room of roles, for the API has to know them', () => {
  const people = (count: number) =>
    Array.from({ length: count }, (_, at) => `arn:aws:iam::${ACCOUNT}:user/somebody-${at}`).join();
  const read = (count: number) => readSettings((key) => (key === 'admins' ? people(count) : undefined)).access.admins;
  expect(read(29)).toHaveLength(29);
  expect(() => read(40)).toThrow(/admins and taskRoles take \d+ bytes of the 4,096 that Lambda allows/);
  const widest = musterTemplate({ ...WIDEST, admins: people(29) });
  for (const { Properties } of widest.functions.values()) expect(bytesOf(Properties)).toBeLessThanOrEqual(BYTES_MAX);
});

test('more roles than fit are refused by the name of the setting', () => {
  const read = (taskRoles: string) => readSettings((key) => (key === 'taskRoles' ? taskRoles : undefined));
  expect(Object.keys(read(roles(15, 'report')).taskRoles)).toHaveLength(15);
  expect(() => read(roles(60, 'report'))).toThrow(
    /taskRoles=team-a\/report-0=.*: 60 roles take \d+ bytes of the 4,096 that Lambda allows/,
  );
});
