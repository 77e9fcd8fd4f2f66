const GIVEN = { vpcId: 'vpc-0123456789abcdef0', subnetIds: 'subnet-0123456789abcdef0,subnet-0123456789abcdef1' };

/** Everything that adds to the template, at once. */
const ALL = {
  hostnames: 'true',
  submissions: 'arn:aws:s3:::uploads,arn:aws:events:eu-central-1:123456789012:rule/nightly',
  efs: 'fs-0123456789abcdef0@sg-0123456789abcdef0:root,fs-0123456789abcdef1',
  ebs: 'true',
  exec: 'true',
  filesImage: '123456789012.dkr.ecr.eu-central-1.amazonaws.com/busybox:1',
  eventBus: 'default',
  earlyCounting: 'true',
  taskTokens: 'true',
  formats: 'previous',
  tracing: 'true',
  alarms: 'all',
  alarmEmail: 'ops@example.org',
  alarmEnds: 'true',
  dashboard: 'true',
  flowLogs: 'true',
  apiConcurrency: '40',
  authorizerConcurrency: '5',
  taskRoles: 'default/reports=arn:aws:iam::123456789012:role/reports',
  auth: 'token',
  admins: 'arn:aws:iam::123456789012:role/ops,arn:aws:iam::123456789012:user/kim',
};

/** Settings whose templates differ, by name: each alone, and all together. */
export const SETTINGS_MATRIX: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  defaults: {},
  'one zone': { zones: '1' },
  'two zones': { zones: '2' },
  'own VPC': GIVEN,
  'own VPC without public addresses': { ...GIVEN, assignPublicIp: 'DISABLED', hostnames: 'jobs.internal' },
  ...Object.fromEntries(
    Object.entries(ALL).map(([name, value]) => [
      name,
      { [name]: value, ...(name === 'authorizerConcurrency' ? { auth: ALL.auth } : {}) },
    ]),
  ),
  'a table that is there': { tableName: 'muster-restored' },
  'audit for ten years': { auditDays: '3653' },
  'no access log': { accessLog: 'false' },
  'access log with a role that is there': { accessLog: 'account' },
  'administrators by token': { auth: 'token', admins: ALL.admins },
  everything: { ...ALL, accounts: '210987654321' },
};
