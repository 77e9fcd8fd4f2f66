import { App } from 'aws-cdk-lib';
import { vi } from 'vitest';
import { MusterStack } from '../../../cdk/muster-stack.ts';
import { readSettings } from '../../../cdk/settings.ts';
import type { Handlers } from '../../../local/handlers.ts';
import { DEAD_QUEUE_ENV } from '../../../shared/names/dead-letter-queues.ts';
import { ENDPOINT_ENV } from '../../../shared/names/endpoints.ts';
import { ENV } from '../../../shared/names/env.ts';
import type { RuntimeOptions } from '../../../shared/runtime/create-runtime.ts';
import { type BundledHandlers, bundledHandlers } from '../../support/built/bundled-handlers.ts';

/** Bundles all functions of the stack into a folder, as a deployment with this context does. */
export function bundledInto(
  cdkOut: string,
  context: Readonly<Record<string, string>> = { submissions: 'true' },
): BundledHandlers {
  process.env['CDK_VALIDATION'] = 'false';
  const app = new App({ outdir: cdkOut });
  const settings = readSettings((key) => context[key]);
  new MusterStack(app, 'Muster', { settings });
  app.synth();
  return bundledHandlers(cdkOut);
}

/** The functions as Lambda would load them: environment first, which the caller takes back with `vi.unstubAllEnvs`. */
export async function fromBundles(
  bundles: BundledHandlers,
  options: RuntimeOptions,
  note: (name: keyof Handlers) => void = () => undefined,
): Promise<Handlers> {
  for (const [name, value] of Object.entries(environmentOf(options))) vi.stubEnv(name, value ?? undefined);
  const load = async <T>(name: keyof Handlers): Promise<T> => {
    const handler = (await handlerIn(bundles[name])) as (...args: unknown[]) => unknown;
    return ((...args: unknown[]) => {
      note(name);
      return handler(...args);
    }) as T;
  };
  return {
    reconcile: await load<Handlers['reconcile']>('reconcile'),
    dispatch: await load<Handlers['dispatch']>('dispatch'),
    submit: await load<Handlers['submit']>('submit'),
    sweep: everyMinuteOnly(await load<Handlers['sweep']>('sweep')),
  };
}

/** Nothing here answers for Secrets Manager, which the sweep asks in the first minute of an hour: to it, there is none. */
const everyMinuteOnly =
  (sweep: Handlers['sweep']): Handlers['sweep'] =>
  (event, context) =>
    sweep({ ...event, time: event.time.replace(/T(\d\d):00:/, 'T$1:01:') }, context);

/** What a bundle exports. */
export async function handlerIn(file: string): Promise<unknown> {
  return ((await import(/* @vite-ignore */ file)) as { readonly handler?: unknown }).handler;
}

/** The variables that the stack sets, and those that point at emulators. */
function environmentOf({ store, endpoints, queues, deadQueues, placement, names = null, ...options }: RuntimeOptions) {
  if (store.kind !== 'dynamodb') throw new Error('the bundles cannot share a store in memory');
  return {
    AWS_REGION: options.region,
    [ENV.table]: store.tableName,
    [ENV.wakeQueueUrl]: queues.wake,
    [ENV.factQueueUrl]: queues.facts,
    [ENV.dispatchQueueUrl]: queues.dispatch,
    [ENV.submitQueueUrl]: queues.submit,
    [ENV.cluster]: placement.cluster,
    [ENV.subnets]: placement.subnets.join(','),
    [ENV.securityGroups]: placement.securityGroups.join(',') || 'sg-local',
    [ENV.assignPublicIp]: placement.assignPublicIp,
    [ENV.executionRoleArn]: options.executionRoleArn,
    [ENV.logGroup]: options.logGroup,
    [ENV.historyDays]: '7',
    [DEAD_QUEUE_ENV.wake]: deadQueues.wake,
    [DEAD_QUEUE_ENV.facts]: deadQueues.facts,
    [DEAD_QUEUE_ENV.dispatch]: deadQueues.dispatch,
    [DEAD_QUEUE_ENV.submit]: deadQueues.submit,
    [ENDPOINT_ENV.dynamodb]: store.endpoint,
    [ENDPOINT_ENV.sqs]: endpoints.sqs,
    [ENDPOINT_ENV.ecs]: endpoints.ecs,
    [ENDPOINT_ENV.logs]: endpoints.logs,
    ...(names === null
      ? {}
      : {
          [ENV.hostsZone]: names.zone,
          [ENV.hostsNamespaceId]: names.namespaceId,
          [ENDPOINT_ENV.cloudmap]: names.endpoint,
        }),
    [ENDPOINT_ENV.accessKey]: options.accessKey,
    // They would print past the runner, which keeps what passing tests print to itself.
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: 'ERROR',
  };
}
