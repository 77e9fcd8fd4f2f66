import { describe, expect, test } from 'vitest';
import { readSettings } from '../../cdk/settings.ts';

const read = (context: Record<string, unknown>) => readSettings((key) => context[key]);

describe('settings of a deployment', () => {
  test('have defaults that need nothing of the account', () => {
    expect(read({})).toEqual({
      network: { kind: 'own', zones: 3, flowLogs: false },
      launchesPerSec: 18,
      stopsPerSec: 10,
      hostnames: null,
      historyDays: 30,
      auditDays: 90,
      submissions: null,
      tableName: null,
      formats: 'current',
      apiConcurrency: null,
      authorizerConcurrency: null,
      efs: [],
      ebs: false,
      exec: false,
      filesImage: null,
      eventBus: null,
      earlyCounting: false,
      taskTokens: false,
      taskRoles: {},
      access: { auth: 'iam', authorization: 'AlwaysAllow', admins: [], accounts: [] },
      apiRequestsPerSec: 200,
      accessLog: 'own',
      alarms: { areAll: false, email: null, tellsEnd: false },
      dashboard: false,
      tracing: false,
    });
  });

  test('come as text from the command line', () => {
    expect(read({ zones: '2', launchesPerSec: '5', stopsPerSec: '0.5', historyDays: '90' })).toEqual({
      network: { kind: 'own', zones: 2, flowLogs: false },
      launchesPerSec: 5,
      stopsPerSec: 0.5,
      hostnames: null,
      historyDays: 90,
      auditDays: 90,
      submissions: null,
      tableName: null,
      formats: 'current',
      apiConcurrency: null,
      authorizerConcurrency: null,
      efs: [],
      ebs: false,
      exec: false,
      filesImage: null,
      eventBus: null,
      earlyCounting: false,
      taskTokens: false,
      taskRoles: {},
      access: { auth: 'iam', authorization: 'AlwaysAllow', admins: [], accounts: [] },
      apiRequestsPerSec: 200,
      accessLog: 'own',
      alarms: { areAll: false, email: null, tellsEnd: false },
      dashboard: false,
      tracing: false,
    });
  });

  test('file systems have an id, perhaps a group, and a word for root', () => {
    const one = { id: 'fs-0123456789abcdef0', securityGroupId: null, asRoot: false };
    expect(read({ efs: 'false' }).efs).toEqual([]);
    expect(read({ efs: one.id }).efs).toEqual([one]);
    expect(read({ efs: `${one.id}:root, fs-01234567@sg-89abcdef, fs-89abcdef@sg-89abcdef:root` }).efs).toEqual([
      { ...one, asRoot: true },
      { id: 'fs-01234567', securityGroupId: 'sg-89abcdef', asRoot: false },
      { id: 'fs-89abcdef', securityGroupId: 'sg-89abcdef', asRoot: true },
    ]);
  });

  test.each([
    ['', 'must be ids of file systems'],
    ['true', 'must be ids of file systems'],
    ['fs-01234567,', 'must be ids of file systems'],
    ['fs-01234567@subnet-89abcdef', 'must be ids of file systems'],
    ['fs-01234567:ro', 'must be ids of file systems'],
    ['fs-01234567,fs-01234567:root', 'names a file system twice'],
    [Array.from({ length: 21 }, (_, nth) => `fs-012345${nth + 10}`).join(), 'must be 20 file systems at most'],
  ])('efs=%s is refused', (efs, message) => {
    expect(() => read({ efs })).toThrow(message);
  });

  test.each([
    [{}, { eventBus: null, taskTokens: false }],
    [
      { eventBus: 'false', taskTokens: 'false' },
      { eventBus: null, taskTokens: false },
    ],
    [
      { eventBus: ' default ', taskTokens: 'true' },
      { eventBus: 'default', taskTokens: true },
    ],
    [
      { eventBus: 'arn:aws:events:eu-west-1:123456789012:event-bus/jobs' },
      { eventBus: 'arn:aws:events:eu-west-1:123456789012:event-bus/jobs', taskTokens: false },
    ],
  ])('name who hears of changes: %j', (context, expected) => {
    expect(read(context)).toMatchObject(expected);
  });

  test.each([{ eventBus: 'true' }, { eventBus: 'my bus' }, { eventBus: '' }, { taskTokens: 'yes, please' }])(
    'refuse %j',
    (context) => {
      expect(() => read(context)).toThrow(
        /eventBus=.*must be the name of an event bus|taskTokens=.*must be true or false/,
      );
    },
  );

  test('take a VPC that exists', () => {
    expect(read({ vpcId: 'vpc-1', subnetIds: 'subnet-1, subnet-2' }).network).toEqual({
      kind: 'given',
      vpcId: 'vpc-1',
      subnetIds: ['subnet-1', 'subnet-2'],
      assignPublicIp: 'ENABLED',
    });
  });

  test('take submissions, from nobody else or from what is named', () => {
    const rule = 'arn:aws:events:eu-central-1:123456789012:rule/nightly';
    const topic = 'arn:aws:sns:eu-central-1:123456789012:reports';
    expect(read({ submissions: 'true' }).submissions).toEqual({ from: [] });
    expect(read({ submissions: false }).submissions).toBeNull();
    expect(read({ submissions: `arn:aws:s3:::uploads, ${rule},${topic}` }).submissions).toEqual({
      from: ['arn:aws:s3:::uploads', rule, topic],
    });
    for (const wrong of ['yes', 'uploads', 'arn:aws:s3:::uploads/*', 'arn:aws:iam::123456789012:role/x', `${rule},`])
      expect(() => read({ submissions: wrong })).toThrow(/submissions=.*must be true, false, or the ARNs/);
  });

  test('reserve concurrency for the API where that is asked for', () => {
    expect(read({ apiConcurrency: '40' }).apiConcurrency).toBe(40);
    expect(read({ auth: 'token', authorizerConcurrency: '5' }).authorizerConcurrency).toBe(5);
  });

  test.each([
    ['true', 'own'],
    ['account', 'account'],
    [false, null],
  ])('accessLog=%s is %s', (accessLog, setting) => {
    expect(read({ accessLog }).accessLog).toBe(setting);
  });

  test('log traffic of the VPC that is created, and sample requests', () => {
    expect(read({ flowLogs: 'true', tracing: 'true' })).toMatchObject({
      network: { kind: 'own', flowLogs: true },
      tracing: true,
    });
  });

  test('say how callers are known, and who may do everything', () => {
    const arns =
      'arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/Ops, arn:aws:iam::123456789012:user/staff/kim';
    expect(read({ auth: 'token', admins: arns, accounts: '210987654321, 111122223333' }).access).toEqual({
      auth: 'token',
      authorization: 'RBAC',
      admins: ['arn:aws:iam::123456789012:role/Ops', 'arn:aws:iam::123456789012:user/staff/kim'],
      accounts: ['210987654321', '111122223333'],
    });
    expect(read({ auth: 'token', authorization: 'AlwaysAllow' }).access.authorization).toBe('AlwaysAllow');
    expect(read({ authorization: 'RBAC' }).access).toMatchObject({ auth: 'iam', authorization: 'RBAC' });
    expect(read({ auth: 'token', accounts: 210987654321 }).access.accounts).toEqual(['210987654321']);
    expect(read({ admins: arns }).access).toMatchObject({ auth: 'iam', accounts: [] });
  });

  test('map service accounts to task roles', () => {
    const [a, b] = ['arn:aws:iam::123456789012:role/a', 'arn:aws-cn:iam::123456789012:role/path/b'];
    expect(read({ taskRoles: `default/reports=${a}, other/x.y=${b}` }).taskRoles).toEqual({
      'default/reports': a,
      'other/x.y': b,
    });
  });

  test('list task roles that service accounts may name', () => {
    const [a, b] = ['arn:aws:iam::123456789012:role/a', 'arn:aws:iam::123456789012:role/b'];
    expect(read({ taskRoles: `team/*=${a},team/*=${b},*=${a}` }).taskRoles).toEqual({ 'team/*': `${a} ${b}`, '*': a });
    for (const account of ['*/x', 'te*/x', 'team/x*', '**'])
      expect(() => read({ taskRoles: `${account}=${a}` })).toThrow('must be <namespace>/<service account>');
  });

  test.each<[unknown, unknown]>([
    [undefined, null],
    ['false', null],
    [false, null],
    ['true', { zone: 'muster.internal', max: 2_000 }],
    [true, { zone: 'muster.internal', max: 2_000 }],
    ['jobs.example.org', { zone: 'jobs.example.org', max: 2_000 }],
  ])('hostnames=%s is %j', (hostnames, setting) => {
    expect(read({ hostnames }).hostnames).toEqual(setting);
  });

  test('more names and calls than usual are for accounts that AWS has given more', () => {
    expect(read({ hostnames: 'true', hostsMax: '10000' }).hostnames).toEqual({ zone: 'muster.internal', max: 10_000 });
    expect(read({ launchesPerSec: '100', stopsPerSec: '50', runTaskQuota: '100', ecsQuota: '200' })).toMatchObject({
      launchesPerSec: 100,
      stopsPerSec: 50,
    });
    expect(read({ launchesPerSec: '20', stopsPerSec: '20' })).toMatchObject({ launchesPerSec: 20, stopsPerSec: 20 });
  });

  const RATE = 'must be a number of calls per second from 0.1 to 1000';
  const ZONE = 'must be a lowercase DNS name of two labels or more, such as muster.internal';
  test.each<[Record<string, unknown>, string]>([
    [
      { taskRoles: 'reports=arn:aws:iam::123456789012:role/a' },
      'taskRoles=reports=arn:aws:iam::123456789012:role/a: must',
    ],
    [
      { taskRoles: 'default/reports=a' },
      'taskRoles=default/reports=a: must be <namespace>/<service account>=<role ARN>',
    ],
    [{ vpcId: 'vpc-1' }, 'subnetIds: vpcId and subnetIds must be set together'],
    [{ vpcId: 'mine', subnetIds: 'subnet-1' }, 'vpcId=mine: must be the id of a VPC, such as vpc-0123456789abcdef0'],
    [{ subnetIds: 'subnet-1' }, 'subnetIds=subnet-1: vpcId and subnetIds must be set together'],
    [{ vpcId: 'vpc-1', subnetIds: '' }, 'subnetIds=: must be subnet ids, separated by commas'],
    [{ zones: '4' }, 'zones=4: must be 1, 2 or 3'],
    [{ zones: 'x' }, 'zones=x: must be 1, 2 or 3'],
    [{ launchesPerSec: '0' }, `launchesPerSec=0: ${RATE}`],
    [{ launchesPerSec: '-1' }, `launchesPerSec=-1: ${RATE}`],
    [{ launchesPerSec: 'many' }, `launchesPerSec=many: ${RATE}`],
    [{ launchesPerSec: 'Infinity' }, `launchesPerSec=Infinity: ${RATE}`],
    [{ launchesPerSec: '1e3' }, `launchesPerSec=1e3: ${RATE}`],
    [{ launchesPerSec: '' }, `launchesPerSec=: ${RATE}`],
    [{ stopsPerSec: '0.01' }, `stopsPerSec=0.01: ${RATE}`],
    [{ ecsQuota: '2000' }, `ecsQuota=2000: ${RATE}`],
    [
      { launchesPerSec: '21' },
      'launchesPerSec=21: Fargate allows 20 RunTask calls per second for the whole account: set at most 20, or set runTaskQuota if AWS has raised your quota',
    ],
    [
      { stopsPerSec: '22.5' },
      'stopsPerSec=22.5: ECS allows 40 calls per second of RunTask and StopTask together, and launchesPerSec is 18: set at most 22, or set ecsQuota if',
    ],
    [{ historyDays: '31' }, 'historyDays=31: must be one of 1, 3, 5, 7, 14, 30, 60,'],
    [{ formats: 'newest' }, 'formats=newest: must be current or previous'],
    [
      { apiConcurrency: '0' },
      'apiConcurrency=0: must be a whole number from 1 to 10000; AWS requires that the account',
    ],
    [{ apiConcurrency: '1.5' }, 'apiConcurrency=1.5: must be a whole number'],
    [
      { auth: 'token', authorizerConcurrency: '0' },
      'authorizerConcurrency=0: must be a whole number from 1 to 10000; AWS requires that the account',
    ],
    [{ authorizerConcurrency: '5' }, 'authorizerConcurrency=5: needs auth=token: with iam there is no authorizer'],
    [{ apiRequestsPerSec: '0' }, 'apiRequestsPerSec=0: must be a whole number from 1 to 10000'],
    [{ apiRequestsPerSec: '1.5' }, 'apiRequestsPerSec=1.5: must be a whole number'],
    [{ accessLog: 'yes' }, 'accessLog=yes: must be true, false, or account'],
    [{ alarms: 'many' }, 'alarms=many: must be usual or all'],
    [{ alarmEmail: 'ops' }, 'alarmEmail=ops: must be an address of electronic mail'],
    [{ auth: 'oidc' }, 'auth=oidc: must be iam or token'],
    [
      { admins: 'arn:aws:iam::123456789012:role/ops,kim' },
      'admins=arn:aws:iam::123456789012:role/ops,kim: must be the ARNs of users and roles, separated by commas, such as arn:aws:iam::123456789012:role/ops, not kim',
    ],
    [
      { admins: 'arn:aws:iam::123456789012:group/ops' },
      'admins=arn:aws:iam::123456789012:group/ops: must be the ARNs of users and roles',
    ],
    [{ accounts: '1' }, 'accounts=1: must be the ids of AWS accounts, 12 digits each, separated by commas'],
    [
      { accounts: '123456789012' },
      'accounts=123456789012: need auth=token: with iam, policies of IAM say who may call',
    ],
    [
      {
        auth: 'token',
        admins: Array.from({ length: 50 }, (_, at) => `arn:aws:iam::123456789012:user/somebody-${at}`).join(),
      },
      'are too many for the environment of a function: let them share a role',
    ],
    [{ admins: '' }, 'admins=: is empty: leave it out for none'],
    [{ taskRoles: ' ' }, 'taskRoles= : is empty: leave it out for none'],
    [{ tableName: '' }, 'tableName=: must be the name of a DynamoDB table'],
    [{ auditDays: '100' }, 'auditDays=100: must be one of 1, 3, 5,'],
    [{ tracing: 'yes' }, 'tracing=yes: must be true or false'],
    [{ tracing: '' }, 'tracing=: must be true or false'],
    [{ earlyCounting: 'yes' }, 'earlyCounting=yes: must be true or false'],
    [
      { flowLogs: 'true', vpcId: 'vpc-1', subnetIds: 'subnet-1' },
      'flowLogs=true: must be false for a VPC that is given',
    ],
    [{ assignPublicIp: 'yes' }, 'assignPublicIp=yes: must be ENABLED or DISABLED'],
    [{ assignPublicIp: 'DISABLED' }, 'assignPublicIp=DISABLED: needs vpcId and subnetIds: in the VPC that is created'],
    [{ zones: '2', vpcId: 'vpc-1', subnetIds: 'subnet-1' }, 'zones=2: is for the VPC that is created'],
    [{ hostsMax: '5000' }, 'hostsMax=5000: needs hostnames: without them there are no names'],
    [{ hostnames: 'internal' }, `hostnames=internal: ${ZONE}; or true for muster.internal, false for no names`],
    [{ hostnames: 'Jobs.internal' }, `hostnames=Jobs.internal: ${ZONE}`],
    [{ hostnames: 'jobs..internal' }, `hostnames=jobs..internal: ${ZONE}`],
    [{ hostnames: '10.0.0.1' }, `hostnames=10.0.0.1: ${ZONE}`],
    [{ hostnames: '' }, `hostnames=: ${ZONE}`],
    [
      { hostnames: `${'a'.repeat(56)}.internal` },
      ': must be no more than 64 characters, because every name ends with it',
    ],
    [{ hostnames: 'eu-central-1.compute.internal' }, 'must not end in compute.internal, which AWS uses: choose a name'],
    [{ hostsMax: '0' }, 'hostsMax=0: must be a whole number from 1 to 100000; AWS Cloud Map holds 2000 in a namespace'],
    [{ hostsMax: '2.5' }, 'hostsMax=2.5: must be a whole number'],
  ])('%o is refused with what would do', (context, sentence) => {
    expect(() => read(context)).toThrow(sentence);
  });

  // What cdk.json may hold and the command line cannot.
  test.each<[Record<string, unknown>, string]>([
    [
      { subnetIds: ['subnet-1'], vpcId: 'vpc-1' },
      'subnetIds=["subnet-1"]: must be text, as on the command line, not a list',
    ],
    [{ zones: true }, 'zones=true: must be text, as on the command line, not a boolean'],
    [{ tracing: 1 }, 'tracing=1: must be text, as on the command line, not a number'],
    [{ tableName: null }, 'tableName=null: must be text, as on the command line, not null'],
    [{ taskRoles: { a: 'b' } }, 'taskRoles={"a":"b"}: must be text, as on the command line, not an object'],
  ])('%o has the wrong type', (context, sentence) => {
    expect(() => read(context)).toThrow(sentence);
  });

  const wrongs = (context: Record<string, unknown>, region?: string): readonly string[] => {
    try {
      readSettings((key) => context[key], region, Object.keys(context));
      return [];
    } catch (error) {
      const [head, ...lines] = (error as Error).message.split('\n');
      expect(head).toBe('Invalid settings:');
      return lines.map((line) => line.trim());
    }
  };

  test('all that makes no sense is reported at once, also what settings ask of one another', () => {
    expect(wrongs({ launchesPerSec: '200', zones: '9', alarms: 'foo', accounts: '123456789012', zone: '2' })).toEqual([
      'zone=2: there is no such setting: did you mean zones?',
      'zones=9: must be 1, 2 or 3',
      'alarms=foo: must be usual or all',
      'accounts=123456789012: need auth=token: with iam, policies of IAM say who may call',
      expect.stringMatching(/^launchesPerSec=200: Fargate allows 20 RunTask calls/),
    ]);
    expect(wrongs({ stopsPerSec: '0', launchesPerSec: '30' })).toHaveLength(1); // the sum cannot be known
  });

  test.each([
    ['authorisation', 'RBAC', 'did you mean authorization?'],
    ['alarmEmial', 'ops@example.org', 'did you mean alarmEmail?'],
    ['zone', '2', 'did you mean zones?'],
    ['VPCID', 'vpc-1', 'did you mean vpcId?'],
    ['launchRate', '5', 'docs/deploy.md has a table of all'],
    ['muster:zones', '2', 'docs/deploy.md has a table of all'],
    ['constructor', 'x', 'docs/deploy.md has a table of all'],
  ])('%s is no setting, and is refused', (name, value, hint) => {
    expect(wrongs({ [name]: value })).toEqual([`${name}=${value}: there is no such setting: ${hint}`]);
  });

  test.each([
    'aws:cdk:enable-path-metadata',
    'aws-cdk:enableDiffNoFail',
    '@aws-cdk/aws-iam:minimizePolicies',
    '@aws-cdk/core:permissionsBoundary',
    'availability-zones:account=123456789012:region=eu-central-1',
    'vpc-provider:account=123456789012:filter.vpc-id=vpc-1:region=eu-central-1',
    'ssm:account=123456789012:parameterName=/x:region=eu-central-1',
    'cdk-migrate',
  ])("%s is CDK's own", (key) => {
    expect(wrongs({ [key]: true })).toEqual([]);
  });

  test('launches are as many as a Region allows: fewer in those that are new', () => {
    const rate = (region?: string, context = {}) =>
      readSettings((key) => (context as Record<string, unknown>)[key], region).launchesPerSec;
    expect([rate(), rate('eu-central-1'), rate('cn-northwest-1'), rate('us-gov-west-1')]).toEqual([18, 18, 18, 18]);
    expect([rate('ap-southeast-6'), rate('ap-east-2'), rate('xx-new-1')]).toEqual([4.5, 4.5, 4.5]);
    expect(wrongs({ launchesPerSec: '18' }, 'ap-southeast-6')).toEqual([
      'launchesPerSec=18: Fargate allows 5 RunTask calls per second for the whole account: set at most 5, or set runTaskQuota if AWS has raised your quota',
    ]);
    expect(rate('ap-southeast-6', { launchesPerSec: '18', runTaskQuota: '20' })).toBe(18);
  });

  test('tracing is refused in China, where Lambda has none', () => {
    expect(wrongs({ tracing: 'true' }, 'cn-north-1').join()).toContain(
      "tracing=true: must be false in China's Regions",
    );
    expect(wrongs({ tracing: 'true' }, 'eu-central-1')).toEqual([]);
  });
});
