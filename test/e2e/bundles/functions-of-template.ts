import { vi } from 'vitest';
import type { Handlers } from '../../../local/handlers.ts';
import { ENDPOINT_ENV } from '../../../shared/names/endpoints.ts';
import type { RuntimeOptions } from '../../../shared/runtime/create-runtime.ts';
import type { Deployed, Json } from '../../cdk/template.ts';
import { FUNCTIONS, type FunctionName, type Names, resolved, statementsOf } from '../../rights/statements.ts';
import { namesIn } from '../../rights/template-statements.ts';
import type { BundledHandlers } from '../../support/built/bundled-handlers.ts';
import { getThroughGateway } from '../../support/lambda-stream.ts';
import { handlerIn } from './from-bundles.ts';
import { type WatchedFrontOptions, watchedFront } from './watched-front.ts';

export type DeployedFunctions = {
  readonly handlers: Handlers;
  /** The function behind API Gateway. */
  readonly api: unknown;
  close(): Promise<void>;
};

export type DeployedOptions = Pick<WatchedFrontOptions, 'services' | 'onSent' | 'onFault'> & {
  readonly bundles: BundledHandlers;
  readonly template: Deployed;
  /** Where the embedded AWS is. */
  readonly place: RuntimeOptions;
};

type Callable = (...args: unknown[]) => unknown;

/** What a cold start is begun with: nothing to do. */
const IDLE: Readonly<Record<Exclude<FunctionName, 'api'>, object>> = {
  reconcile: { Records: [] },
  dispatch: { Records: [] },
  submit: { Records: [] },
  sweep: { time: '2026-11-20T12:01:00Z' },
};

/**
 * The functions as they are deployed: each with the variables that the template gives it, and no other of ours, and with the rights
 * of its own role. Only the addresses are the embedded AWS's. A function reads its variables when it is first called, so each is
 * called once, alone, before any of them works. The caller takes the variables back with `vi.unstubAllEnvs`.
 */
export async function functionsOfTemplate({
  bundles,
  template,
  place,
  ...watched
}: DeployedOptions): Promise<DeployedFunctions> {
  const names = new Map([...namesIn(template), ...placesIn(template, place)]);
  const statements = statementsOf(template, names);
  const fronts: { close(): Promise<void> }[] = [];
  const started = new Map<FunctionName, Callable>();
  for (const name of FUNCTIONS) {
    const front = await watchedFront({ ...watched, by: name, statements: statements[name] });
    fronts.push(front);
    vi.unstubAllEnvs();
    const ours = { ...variablesOf(template, name, names), ...addressesOf(front.url, place) };
    for (const [variable, value] of Object.entries(ours)) vi.stubEnv(variable, value);
    const handler = (await handlerIn(bundles[name])) as Callable;
    if (name === 'api') await getThroughGateway(handler, '/version');
    else await handler(IDLE[name], {});
    started.set(name, handler);
  }
  const of = <T>(name: FunctionName): T => started.get(name) as T;
  return {
    handlers: { reconcile: of('reconcile'), dispatch: of('dispatch'), submit: of('submit'), sweep: of('sweep') },
    api: of('api'),
    close: async () => void (await Promise.all(fronts.map(async (front) => front.close()))),
  };
}

/** What `Ref` gives of what the embedded AWS has. */
function placesIn(template: Deployed, { store, queues, deadQueues, logGroup, placement }: RuntimeOptions): Names {
  if (store.kind !== 'dynamodb') throw new Error('the bundles cannot share a store in memory');
  const arns = namesIn(template);
  const places = new Map<string, Readonly<Record<string, string>>>();
  const add = (id: string, more: Readonly<Record<string, string>>): void =>
    void places.set(id, { ...arns.get(id), ...places.get(id), ...more });
  for (const [name, queue] of Object.entries({
    Wake: 'wake',
    Facts: 'facts',
    Dispatch: 'dispatch',
    Submit: 'submit',
  })) {
    const key = queue as keyof typeof queues;
    const id = template.queueOf(name);
    add(id, { Ref: queues[key] ?? '' });
    add(template.deadOf(id), { Ref: deadQueues[key] ?? '' });
  }
  for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'])
    for (const id of template.all(type).keys()) add(id, { Ref: store.tableName });
  for (const id of template.all('AWS::Logs::LogGroup').keys()) if (id.includes('Tasks')) add(id, { Ref: logGroup });
  for (const id of template.all('AWS::EC2::Subnet').keys()) add(id, { Ref: placement.subnets[0] ?? '' });
  for (const id of template.all('AWS::EC2::SecurityGroup').keys()) add(id, { GroupId: 'sg-local' });
  return places;
}

/** The variables that the template gives a function. Throws where one refers to what has no name here. */
function variablesOf(template: Deployed, name: FunctionName, names: Names): Readonly<Record<string, string>> {
  const { Environment } = template.functions.get(template.functionOf(name))!.Properties;
  const { Variables } = Environment as { readonly Variables: Json };
  const known = Object.entries(Variables).map(([variable, value]) => [variable, resolved(value, names)] as const);
  const unknown = known.filter(([, value]) => value.includes('<'));
  if (unknown.length > 0) throw new Error(`${name}: ${JSON.stringify(unknown)} name what is not here`);
  return Object.fromEntries(known);
}

/** What Lambda sets, and where the services are. */
const addressesOf = (url: string, { region, accessKey }: RuntimeOptions): Readonly<Record<string, string>> => ({
  AWS_REGION: region,
  ...Object.fromEntries(Object.values(ENDPOINT_ENV).map((variable) => [variable, url])),
  [ENDPOINT_ENV.accessKey]: accessKey ?? '',
  // Lines of metrics say nothing here; the caller keeps those of the log.
  POWERTOOLS_METRICS_DISABLED: 'true',
  POWERTOOLS_LOG_LEVEL: 'INFO',
});
