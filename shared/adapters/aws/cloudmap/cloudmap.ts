import { createHash } from 'node:crypto';
import type { Clock } from '../../../ports/clock.ts';
import type { Hostnames } from '../../../ports/hostnames.ts';
import type { Fatal, Later } from '../../../ports/tasks.ts';
import { classify } from '../ecs/run-task-outcome.ts';
import type { CloudmapCalls } from './cloudmap-calls.ts';

/** Tells our services from others in the namespace. */
const DESCRIPTION = 'A task of a Job that Muster runs';
/** A name that has moved to another task is believed of its former one for so long. */
const RECORD_TTL_SEC = 5;
/** Waits for an operation to be over: 9 s in all. */
const OPERATION_WAITS_MS = [50, 100, 200, 400, 750, 1_500, 3_000, 3_000];

export type CloudmapOptions = {
  readonly calls: CloudmapCalls;
  /** Of the private DNS namespace. */
  readonly namespaceId: string;
  readonly zone: string;
  readonly sleep: Clock['sleep'];
};

/** {@link Hostnames} by AWS Cloud Map: a service a name, an instance a task (aws.md 4). */
export function createCloudmap({ calls, namespaceId, zone, sleep }: CloudmapOptions): Hostnames {
  const namespaceFilter = { Name: 'NAMESPACE_ID' as const, Values: [namespaceId], Condition: 'EQ' as const };

  /** The id of a service by its name: only for an error that does not tell it. */
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

  /** Operations that this process has given up waiting for, by instance. */
  const underWay = new Map<string, string>();

  /** Waits until the operation is over; what it was that has been done, then. */
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
   * Asks for a change of an instance and waits for it. One that is under way comes first: it may be this very change,
   * asked for before, since the same task never has two addresses.
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
/** More are asked for anew. */
const UNDER_WAY_MAX = 2_000;

type Done = { readonly kind: 'done' };
const DONE: Done = { kind: 'done' };
/** The most that Cloud Map lists at once. */
const PAGE = 100;

const later = (reason: string): Later => ({ kind: 'later', reason });
const pageAfter = (token: string | undefined) => (token === undefined ? {} : { NextToken: token });

/** By name, not by class: the classes are the SDK's, and not every caller has loaded it. */
const isNamed = (error: unknown, name: string): error is Error => error instanceof Error && error.name === name;

function memberOf(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : undefined;
}

/** The operation's id: of what was asked for, or of what is in its way. null: Cloud Map does not tell which that is. */
async function startedOr(ask: () => Promise<{ readonly OperationId?: string | undefined }>): Promise<string | null> {
  try {
    const { OperationId } = await ask();
    return OperationId ?? null;
  } catch (error) {
    if (!isNamed(error, 'DuplicateRequest')) throw error;
    return memberOf(error, 'DuplicateOperationId') ?? null;
  }
}

/** The service that is there under the name; gone again by now: it is made the next time. */
async function adopted(published: string | undefined, find: () => Promise<string | null>) {
  try {
    const serviceId = published ?? (await find());
    return serviceId === null ? later('the name was in use until now') : ({ kind: 'ready', serviceId } as const);
  } catch (error) {
    return outcomeOfError(error);
  }
}

/** An operation of which nobody knows is none; else as of ECS. Throws again where it cannot be known what was done. */
const outcomeOfError = (error: unknown): Later | Fatal =>
  isNamed(error, 'DuplicateRequest') || isNamed(error, 'OperationNotFound')
    ? later(`${error.name}: ${error.message}`)
    : inputOnlyFatal(classify(error), error);

/** Names come from manifests. All else that is refused is the installation's, and passes when somebody has mended it. */
const inputOnlyFatal = (outcome: Later | Fatal, error: unknown): Later | Fatal =>
  outcome.kind === 'fatal' && !isNamed(error, 'InvalidInput') ? later(outcome.reason) : outcome;

/** Where nothing is fatal: what cannot be done is tried until an operator has mended it. */
function laterOrThrow(error: unknown): Later {
  const outcome = outcomeOfError(error);
  return outcome.kind === 'later' ? outcome : later(outcome.reason);
}
