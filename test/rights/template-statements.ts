import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployed } from '../cdk/template.ts';
import type { Place } from './needed-rights.ts';
import { type FunctionName, type Names, type Statement, type Statements, statementsOf } from './statements.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Where the functions of the embedded runtime are; its tasks have no role, but on AWS each has one. */
export const LOCAL_PLACE: Place = {
  region: 'us-east-1',
  account: '000000000000',
  executionRoleArn: 'arn:aws:iam::000000000000:role/muster-execution',
  taskRoleArn: 'arn:aws:iam::000000000000:role/muster-task',
  namespaceId: 'ns-muster',
};

/** Of what this process has loaded: sources may change while it runs. */
const SOURCES = sourcesHash();
let known: Promise<Statements> | null = null;

/**
 * What the stack's functions may do, with the ARNs of the embedded AWS. The template is the one without names of tasks and
 * without commands in them; only what these take comes from those with them. Kept in `node_modules/.cache` by what `cdk/` says: loading CDK takes seconds,
 * and every process that starts a runtime needs this.
 */
export function templateStatements(): Promise<Statements> {
  known ??= readOrMake();
  return known;
}

async function readOrMake(): Promise<Statements> {
  const folder = join(ROOT, 'node_modules/.cache/muster');
  const file = join(folder, `statements-${SOURCES}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Statements;
  const { musterTemplate } = await import('../cdk/template.ts');
  const [plain, named, open] = [
    { submissions: 'true' },
    { submissions: 'true', hostnames: 'true' },
    { submissions: 'true', exec: 'true' },
  ].map((context) => {
    const template = musterTemplate(context);
    return statementsOf(template, namesIn(template));
  });
  const of = (name: FunctionName) => [
    ...(plain?.[name] ?? []),
    ...(named?.[name] ?? []).flatMap((each) => only(each, /^(servicediscovery|route53):/)),
    ...(open?.[name] ?? []).flatMap((each) => only(each, /^(ecs:ExecuteCommand|ssm:(Start|Terminate)Session)$/)),
  ];
  const made: Statements = {
    api: of('api'),
    reconcile: of('reconcile'),
    dispatch: of('dispatch'),
    sweep: of('sweep'),
    submit: of('submit'),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(made));
  renameSync(`${file}.${process.pid}`, file);
  return made;
}

function only(statement: Statement, wanted: RegExp): readonly Statement[] {
  const actions = statement.actions.filter((each) => wanted.test(each));
  return actions.length === 0 ? [] : [{ ...statement, actions }];
}

function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const folder of ['cdk', 'shared/names', 'test/rights', 'test/cdk/template.ts'])
    for (const file of filesIn(join(ROOT, folder))) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path: string): readonly string[] {
  if (path.endsWith('.ts')) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => join(path, file));
}

/** The embedded AWS's names for what the template makes. */
export function namesIn(template: Deployed): Names {
  const { region, account, executionRoleArn, taskRoleArn, namespaceId } = LOCAL_PLACE;
  const arn = (service: string, resource: string): string => `arn:aws:${service}:${region}:${account}:${resource}`;
  const idOf = (type: string, hint = ''): string =>
    [...template.all(type).keys()].find((id) => id.includes(hint)) ?? `no ${type} ${hint}`;
  const queues = ['Wake', 'Facts', 'Dispatch', 'Submit'].flatMap((queue) => {
    const name = `muster-${queue.toLowerCase()}`;
    const id = template.queueOf(queue);
    return [
      [id, { Arn: arn('sqs', name) }],
      [template.deadOf(id), { Arn: arn('sqs', `${name}-dead`) }],
    ] as const;
  });
  return new Map<string, Readonly<Record<string, string>>>([
    ...queues,
    [idOf('AWS::DynamoDB::GlobalTable'), { Arn: arn('dynamodb', 'table/muster') }],
    [idOf('AWS::DynamoDB::Table'), { Arn: arn('dynamodb', 'table/muster') }],
    [idOf('AWS::ECS::Cluster'), { Ref: 'muster', Arn: arn('ecs', 'cluster/muster') }],
    [idOf('AWS::Logs::LogGroup', 'Tasks'), { Arn: arn('logs', 'log-group:/muster/tasks:*') }],
    [idOf('AWS::IAM::Role', 'ExecutionRole'), { Arn: executionRoleArn }],
    [idOf('AWS::IAM::Role', 'TaskRole'), { Arn: taskRoleArn }],
    [idOf('AWS::IAM::Role', 'VolumeRole'), { Arn: 'arn:aws:iam::000000000000:role/muster-volumes' }],
    [
      idOf('AWS::ServiceDiscovery::PrivateDnsNamespace'),
      { Arn: arn('servicediscovery', `namespace/${namespaceId}`), Id: namespaceId, HostedZoneId: 'ZONE' },
    ],
  ]);
}
