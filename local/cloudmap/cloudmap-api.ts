import { randomBytes } from 'node:crypto';
import type { Throttle } from '../ecs/throttle.ts';
import { AwsError } from '../wire/aws-error.ts';
import { checked } from '../wire/checked.ts';
import type { CloudmapApi } from '../wire/cloudmap-operations.ts';
import {
  CreateServiceSchema,
  DiscoverInstancesSchema,
  InstanceSchema,
  ListInstancesSchema,
  ListServicesSchema,
  NamedSchema,
  OperationSchema,
  RegisterInstanceSchema,
} from './cloudmap-requests.ts';
import type { Operations } from './operations.ts';
import { claimedOf, type InstanceRecord, type Registry, type Service } from './registry.ts';

/** The private DNS namespace that always exists. */
export type DnsNamespace = {
  readonly id: string;
  /** e.g. `muster.internal` */
  readonly zone: string;
  /** how long a resolver caches that a name does not exist */
  readonly negativeTtlSec: number;
};

export type CloudmapApiOptions = {
  readonly namespace: DnsNamespace;
  readonly registry: Registry;
  readonly operations: Operations;
  readonly throttle: Throttle<keyof CloudmapApi>;
  readonly place: { readonly region: string; readonly account: string };
  readonly quota: { readonly perService: number; readonly perNamespace: number };
  readonly now: () => number;
  readonly operationMs: () => number;
  /** The error code that an operation fails with; null if it succeeds. */
  readonly failure: (type: 'REGISTER_INSTANCE' | 'DEREGISTER_INSTANCE') => string | null;
};

/** Cloud Map's operations over a {@link Registry}. Every method throws {@link AwsError}. */
export function cloudmapApi(options: CloudmapApiOptions): CloudmapApi {
  const { namespace, registry, operations, place, quota, now } = options;
  const throttle = (name: keyof CloudmapApi): void => {
    if (!options.throttle.allows({ [name]: 1 } as Partial<Record<keyof CloudmapApi, number>>, now()))
      throw new AwsError(
        name === 'DiscoverInstances' ? 'RequestLimitExceeded' : 'ThrottlingException',
        'Rate exceeded',
      );
  };
  const serviceOf = (id: string): Service => {
    const service = registry.get(id);
    if (service === null) throw new AwsError('ServiceNotFound', `Service not found: ${id}`);
    return service;
  };
  const arnOf = (kind: 'service' | 'namespace', id: string): string =>
    `arn:aws:servicediscovery:${place.region}:${place.account}:${kind}/${id}`;
  /** Accepts a change to an instance and applies it after a delay. */
  const change = (service: Service, instanceId: string, to: InstanceRecord | null): { OperationId: string } => {
    const type = to === null ? 'DEREGISTER_INSTANCE' : 'REGISTER_INSTANCE';
    const failure = options.failure(type);
    const operationId = operations.submit({ type, serviceId: service.id, instanceId }, options.operationMs(), () => {
      registry.complete(service.id, instanceId, failure !== null);
      return failure;
    });
    registry.accept(service.id, instanceId, { operationId, to });
    return { OperationId: operationId };
  };
  const render = (service: Service) => ({
    Id: service.id,
    Arn: arnOf('service', service.id),
    ResourceOwner: place.account,
    Name: service.name,
    NamespaceId: namespace.id,
    ...(service.description === null ? {} : { Description: service.description }),
    InstanceCount: service.instances.size,
    DnsConfig: {
      NamespaceId: namespace.id,
      RoutingPolicy: 'MULTIVALUE' as const,
      DnsRecords: [{ Type: 'A' as const, TTL: service.ttlSec }],
    },
    Type: 'DNS_HTTP' as const,
    CreateDate: new Date(service.createdAtMs),
    ...(service.creatorRequestId === null ? {} : { CreatorRequestId: service.creatorRequestId }),
    CreatedByAccount: place.account,
  });

  return {
    GetNamespace(input) {
      throttle('GetNamespace');
      const { Id: id } = checked(NamedSchema, input, INVALID);
      if (id !== namespace.id) throw new AwsError('NamespaceNotFound', `Namespace not found: ${id}`);
      const { zone, negativeTtlSec } = namespace;
      return {
        Namespace: {
          Id: id,
          Arn: arnOf('namespace', id),
          ResourceOwner: place.account,
          Name: zone,
          Type: 'DNS_PRIVATE',
          ServiceCount: registry.all().length,
          Properties: { DnsProperties: { SOA: { TTL: negativeTtlSec } }, HttpProperties: { HttpName: zone } },
        },
      };
    },

    CreateService(input) {
      throttle('CreateService');
      const request = checked(CreateServiceSchema, input, INVALID);
      const namespaceId = request.NamespaceId ?? request.DnsConfig.NamespaceId ?? '';
      if (namespaceId !== namespace.id) throw new AwsError('NamespaceNotFound', `Namespace not found: ${namespaceId}`);
      if (`${request.Name}.${namespace.zone}`.length > DNS_NAME_CHARS_MAX)
        throw new AwsError(INVALID, `Name: with the zone at most ${DNS_NAME_CHARS_MAX} characters`);
      const there = registry.named(request.Name);
      if (there !== null)
        throw new AwsError('ServiceAlreadyExists', `Service already exists: ${request.Name}`, {
          ServiceId: there.id,
          ServiceArn: arnOf('service', there.id),
          ...(there.creatorRequestId === null ? {} : { CreatorRequestId: there.creatorRequestId }),
        });
      const service = {
        id: newServiceId(),
        name: request.Name,
        description: request.Description ?? null,
        creatorRequestId: request.CreatorRequestId ?? null,
        ttlSec: request.DnsConfig.DnsRecords[0].TTL,
        createdAtMs: now(),
      };
      registry.create(service);
      return { Service: render(serviceOf(service.id)) };
    },

    GetService(input) {
      throttle('GetService');
      return { Service: render(serviceOf(checked(NamedSchema, input, INVALID).Id)) };
    },

    ListServices(input) {
      throttle('ListServices');
      const { Filters, MaxResults, NextToken } = checked(ListServicesSchema, input, INVALID);
      const services = Filters.every(({ Values }) => Values.includes(namespace.id)) ? registry.all() : [];
      const { page, next } = pageOf(services, MaxResults, NextToken);
      return { Services: page.map(render), ...next };
    },

    DeleteService(input) {
      throttle('DeleteService');
      const service = serviceOf(checked(NamedSchema, input, INVALID).Id);
      if (service.instances.size > 0 || service.changing.size > 0)
        throw new AwsError('ResourceInUse', 'Service contains registered instances; delete the instances first.');
      registry.delete(service.id);
      return {};
    },

    RegisterInstance(input) {
      throttle('RegisterInstance');
      const { ServiceId, InstanceId, Attributes, CreatorRequestId } = checked(RegisterInstanceSchema, input, INVALID);
      const service = serviceOf(ServiceId);
      refuseDuplicate(service, InstanceId);
      if (!service.instances.has(InstanceId)) {
        if (claimedOf(service) >= quota.perService)
          throw new AwsError('ResourceLimitExceeded', `at most ${quota.perService} instances in a service`);
        if (registry.instanceCount >= quota.perNamespace)
          throw new AwsError('ResourceLimitExceeded', `at most ${quota.perNamespace} instances in a namespace`);
      }
      return change(service, InstanceId, {
        id: InstanceId,
        attributes: Attributes,
        creatorRequestId: CreatorRequestId ?? null,
      });
    },

    DeregisterInstance(input) {
      throttle('DeregisterInstance');
      const { ServiceId, InstanceId } = checked(InstanceSchema, input, INVALID);
      const service = serviceOf(ServiceId);
      refuseDuplicate(service, InstanceId);
      instanceOf(service, InstanceId);
      return change(service, InstanceId, null);
    },

    GetInstance(input) {
      throttle('GetInstance');
      const { ServiceId, InstanceId } = checked(InstanceSchema, input, INVALID);
      const { id, attributes, creatorRequestId } = instanceOf(serviceOf(ServiceId), InstanceId);
      return {
        ResourceOwner: place.account,
        Instance: {
          Id: id,
          Attributes: attributes,
          ...(creatorRequestId === null ? {} : { CreatorRequestId: creatorRequestId }),
        },
      };
    },

    ListInstances(input) {
      throttle('ListInstances');
      const { ServiceId, MaxResults, NextToken } = checked(ListInstancesSchema, input, INVALID);
      const instances = [...serviceOf(ServiceId).instances.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      const { page, next } = pageOf(instances, MaxResults, NextToken);
      return { Instances: page.map(({ id, attributes }) => ({ Id: id, Attributes: attributes })), ...next };
    },

    DiscoverInstances(input) {
      throttle('DiscoverInstances');
      const request = checked(DiscoverInstancesSchema, input, INVALID);
      if (request.NamespaceName !== namespace.zone)
        throw new AwsError('NamespaceNotFound', `Namespace not found: ${request.NamespaceName}`);
      const service = registry.named(request.ServiceName);
      if (service === null) throw new AwsError('ServiceNotFound', `Service not found: ${request.ServiceName}`);
      const wanted = Object.entries(request.QueryParameters);
      const found = [...service.instances.values()].filter(({ attributes }) =>
        wanted.every(([name, value]) => attributes[name] === value),
      );
      return {
        Instances: (request.HealthStatus === 'UNHEALTHY' ? [] : found.slice(0, request.MaxResults)).map(
          ({ id, attributes }) => ({
            InstanceId: id,
            NamespaceName: namespace.zone,
            ServiceName: service.name,
            HealthStatus: 'HEALTHY',
            Attributes: attributes,
          }),
        ),
      };
    },

    GetOperation(input) {
      throttle('GetOperation');
      const { OperationId } = checked(OperationSchema, input, INVALID);
      const operation = operations.get(OperationId);
      if (operation === null) throw new AwsError('OperationNotFound', `Operation not found: ${OperationId}`);
      return {
        Operation: {
          Id: operation.id,
          OwnerAccount: place.account,
          Type: operation.type,
          Status: operation.status,
          ...(operation.errorCode === null
            ? {}
            : { ErrorCode: operation.errorCode, ErrorMessage: 'The operation failed.' }),
          CreateDate: new Date(operation.createdAtMs),
          UpdateDate: new Date(operation.updatedAtMs),
          Targets: { INSTANCE: operation.instanceId, SERVICE: operation.serviceId, NAMESPACE: namespace.id },
        },
      };
    },
  };
}

const INVALID = 'InvalidInput';
const DNS_NAME_CHARS_MAX = 253;

function instanceOf(service: Service, instanceId: string): InstanceRecord {
  const instance = service.instances.get(instanceId);
  if (instance === undefined) throw new AwsError('InstanceNotFound', `Instance not found: ${instanceId}`);
  return instance;
}

/** Allows one operation at a time per instance of a service. */
function refuseDuplicate({ changing }: Service, instanceId: string): void {
  const underWay = changing.get(instanceId);
  if (underWay !== undefined)
    throw new AwsError('DuplicateRequest', 'Another operation of this instance is under way.', {
      DuplicateOperationId: underWay.operationId,
    });
}

/** `srv-` and sixteen letters or digits. */
function newServiceId(): string {
  const digits = BigInt(`0x${randomBytes(11).toString('hex')}`)
    .toString(36)
    .padStart(16, '0');
  return `srv-${digits.slice(-16)}`;
}

/** The items after the one that the token names, sorted by id. */
function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  max: number,
  token: string | undefined,
): { readonly page: readonly Item[]; readonly next: { readonly NextToken?: string } } {
  const after = token === undefined ? '' : Buffer.from(token, 'base64url').toString('utf8');
  const left = items.filter(({ id }) => id > after);
  const page = left.slice(0, max);
  const last = page.at(-1);
  return {
    page,
    next:
      last === undefined || left.length === page.length
        ? {}
        : { NextToken: Buffer.from(last.id).toString('base64url') },
  };
}
