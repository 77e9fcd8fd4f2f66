import { createHash } from 'node:crypto';
import type { Clock } from '../../../ports/clock.ts';
import type { Hostnames } from '../ports/hostnames.ts';
import type { Fatal, Later } from '../../../ports/tasks.ts';
import { classify } from '../../../adapters/aws/ecs/run-task-outcome.ts';
import type { CloudmapCalls } from '../../../adapters/aws/cloudmap/cloudmap-calls.ts';

/** Tells our services from others in the namespace. */
const DESCRIPTION = 'A task of a Job that Muster runs';
/** Resolvers cache a name for this long, so a name that has moved may still lead to its old task. */
const RECORD_TTL_SEC = 5;
/** Waits between checks of an operation: 9 s in total. */
const OPERATION_WAITS_MS = [50, 100, 200, 400, 750, 1_500, 3_000, 3_000];

export type CloudmapOptions = {
  readonly calls: CloudmapCalls;
  /** The private DNS namespace in Cloud Map. */
  readonly namespaceId: string;
  readonly zone: string;
  readonly sleep: Clock['sleep'];
};

/** {@link Hostnames} on AWS Cloud Map: a service for each name, an instance for each task (aws.md 4). */
export function createCloudmap({ calls, namespaceId, zone, sleep }: CloudmapOptions): Hostnames {
  const namespaceFilter = { Name: 'NAMESPACE_ID' as const, Values: [namespaceId], Condition: 'EQ' as const };

  /** Looks up a service's id by its name, for errors that do not include the id. */
  const findService = async (name: string): Promise<string | null> => {
    let next: string | undefined;
    do {
      const { Services = [], NextToken } = await calls.listServices({
        Filters: [namespaceFilter],
        MaxResults: PAGE,
        ...pageAfter(next),
      });
      const found = Services.find((service) => service.Name?.toLowerCase() === name.toLowerCase());
      if (found?.Id !== undefined) return found.Id;
      next = NextToken;
    } while (next !== undefined);
    return null;
  };

  /** Operations that this process no longer waits for, by instance. */
  const underWay = new Map<string, string>();

  /** Waits until the operation has finished, and returns what it did. */
  const outcomeOf = async (instance: string, operationId: string): Promise<Later | { readonly kind: Change }> => {
    underWay.delete(instance);
    for (const waitMs of OPERATION_WAITS_MS) {
      const { Operation } = await calls.getOperation({ OperationId: operationId });
      if (Operation?.Status === 'SUCCESS')
        return { kind: Operation.Type === 'DEREGISTER_INSTANCE' ? 'removed' : 'registered' };
      if (Operation?.Status === 'FAIL')
        return later(`Cloud Map: ${Operation.ErrorCode ?? 'failed'}: ${Operation.ErrorMessage ?? ''}`);
      await sleep(waitMs);
    }
    if (underWay.size < UNDER_WAY_MAX) underWay.set(instance, operationId);
    return later('Cloud Map has not finished an operation yet');
  };

  /**
   * Requests a change of an instance and waits for it. If a change is already in progress, it waits for that one first.
   * It may be the same change, because a task never has two addresses.
   */
  const change = async (
    instance: string,
    wanted: Change,
    ask: () => Promise<{ readonly OperationId?: string | undefined }>,
  ): Promise<Done | Later> => {
    let operationId = underWay.get(instance) ?? null;
    for (let nth = 0; nth < 3; nth++) {
      operationId ??= await startedOr(ask);
      if (operationId === null) break;
      const outcome = await outcomeOf(instance, operationId);
      if (outcome.kind === 'later') return outcome;
      if (outcome.kind === wanted) return DONE;
      operationId = null;
    }
    return later('Cloud Map is busy with the same instance');
  };

  return {
    zone,

    async ensureService(name) {
      try {
        const { Service } = await calls.createService({
          Name: name,
          NamespaceId: namespaceId,
          CreatorRequestId: createHash('sha256').update(`${namespaceId}/${name}`).digest('hex'),
          Description: DESCRIPTION,
          DnsConfig: { RoutingPolicy: 'MULTIVALUE', DnsRecords: [{ Type: 'A', TTL: RECORD_TTL_SEC }] },
        });
        if (Service?.Id === undefined) throw new Error(`Cloud Map gave no id for ${name}`);
        return { kind: 'ready', serviceId: Service.Id };
      } catch (error) {
        if (!isNamed(error, 'ServiceAlreadyExists')) return outcomeOfError(error);
        return adopted(memberOf(error, 'ServiceId'), () => findService(name));
      }
    },

    async register(serviceId, taskId, ip) {
      const input = { ServiceId: serviceId, InstanceId: taskId, Attributes: { AWS_INSTANCE_IPV4: ip } };
      try {
        return await change(`${serviceId}/${taskId}`, 'registered', () => calls.registerInstance(input));
      } catch (error) {
        return isNamed(error, 'ServiceNotFound') ? { kind: 'gone' } : outcomeOfError(error);
      }
    },

    async deregister(serviceId, taskId) {
      const input = { ServiceId: serviceId, InstanceId: taskId };
      try {
        return await change(`${serviceId}/${taskId}`, 'removed', () => calls.deregisterInstance(input));
      } catch (error) {
        if (isNamed(error, 'ServiceNotFound') || isNamed(error, 'InstanceNotFound')) return DONE;
        return laterOrThrow(error);
      }
    },

    async deleteService(serviceId) {
      try {
        await calls.deleteService({ Id: serviceId });
        return DONE;
      } catch (error) {
        if (isNamed(error, 'ServiceNotFound')) return DONE;
        return laterOrThrow(error); // ResourceInUse above all
      }
    },

    async list(after) {
      try {
        const { Services = [], NextToken } = await calls.listServices({
          Filters: [namespaceFilter],
          MaxResults: PAGE,
          ...pageAfter(after ?? undefined),
        });
        const services = Services.flatMap(({ Id, Name, Description }) =>
          Id === undefined || Name === undefined || Description !== DESCRIPTION ? [] : [{ serviceId: Id, name: Name }],
        );
        return { kind: 'listed', services, next: NextToken ?? null };
      } catch (error) {
        return laterOrThrow(error);
      }
    },

    async tasksIn(serviceId) {
      const taskIds: string[] = [];
      let next: string | undefined;
      try {
        do {
          const { Instances = [], NextToken } = await calls.listInstances({
            ServiceId: serviceId,
            MaxResults: PAGE,
            ...pageAfter(next),
          });
          taskIds.push(...Instances.flatMap(({ Id }) => (Id === undefined ? [] : [Id])));
          next = NextToken;
        } while (next !== undefined);
      } catch (error) {
        if (!isNamed(error, 'ServiceNotFound')) return laterOrThrow(error);
      }
      return { kind: 'listed', taskIds };
    },
  };
}

type Change = 'registered' | 'removed';
/** Operations beyond this number are not remembered. The change is then requested again. */
const UNDER_WAY_MAX = 2_000;

type Done = { readonly kind: 'done' };
const DONE: Done = { kind: 'done' };
/** The largest page that Cloud Map returns. */
const PAGE = 100;

const later = (reason: string): Later => ({ kind: 'later', reason });
const pageAfter = (token: string | undefined) => (token === undefined ? {} : { NextToken: token });

/** Compares the name, not the class: the classes are the SDK's, and some callers do not load the SDK. */
const isNamed = (error: unknown, name: string): error is Error => error instanceof Error && error.name === name;

function memberOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}

/**
 * The id of the requested operation, or of the one that blocks it. null: something blocks it, and Cloud Map gives no
 * id.
 */
async function startedOr(ask: () => Promise<{ readonly OperationId?: string | undefined }>): Promise<string | null> {
  try {
    const { OperationId } = await ask();
    return OperationId ?? null;
  } catch (error) {
    if (!isNamed(error, 'DuplicateRequest')) throw error;
    return memberOf(error, 'DuplicateOperationId') ?? null;
  }
}

/** The existing service of that name. If it has disappeared since, the next try creates it. */
async function adopted(published: string | undefined, find: () => Promise<string | null>) {
  try {
    const serviceId = published ?? (await find());
    return serviceId === null ? later('the name was in use until now') : ({ kind: 'ready', serviceId } as const);
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** An unknown operation is tried again; other errors are classified as for ECS. Rethrows if the outcome is unknown. */
const outcomeOfError = (error: unknown): Later | Fatal =>
  isNamed(error, 'DuplicateRequest') || isNamed(error, 'OperationNotFound')
    ? later(`${error.name}: ${error.message}`)
    : inputOnlyFatal(classify(error), error);

/**
 * Names come from manifests, so only invalid input is fatal. An operator can fix everything else that Cloud Map
 * refuses.
 */
const inputOnlyFatal = (outcome: Later | Fatal, error: unknown): Later | Fatal =>
  outcome.kind === 'fatal' && !isNamed(error, 'InvalidInput') ? later(outcome.reason) : outcome;

/** For calls without a fatal outcome: they are retried until an operator has fixed the cause. */
function laterOrThrow(error: unknown): Later {
  const outcome = outcomeOfError(error);
  return outcome.kind === 'later' ? outcome : later(outcome.reason);
}
