import * as z from 'zod';

/**
 * Values with the limits of Cloud Map's API reference. Values that this emulation does not support are refused, never
 * ignored.
 */
const IdSchema = z
  .string()
  .min(1)
  .max(255)
  .transform((text) => text.slice(text.lastIndexOf('/') + 1)); // an ARN is also accepted
const InstanceIdSchema = z.string().regex(/^[0-9a-zA-Z_/:.@-]{1,64}$/, 'up to 64 letters, digits and _/:.@-');
const TokenSchema = z.string().max(4096).optional();
const PageSchema = z.object({ MaxResults: z.number().int().min(1).max(100).default(100), NextToken: TokenSchema });

/** A DNS name in the zone. Its labels need not be host names: `_service._tcp` is valid, too. */
const ServiceNameSchema = z
  .string()
  .min(1)
  .max(127, 'at most 127 characters')
  .refine(
    (name) => name.split('.').every((label) => /^[A-Za-z0-9_-]{1,63}$/.test(label)),
    'labels of 1 to 63 letters, digits, hyphens and underscores, with dots between them',
  );

const DnsConfigSchema = z.object({
  NamespaceId: IdSchema.optional(),
  RoutingPolicy: z.literal('MULTIVALUE', 'only MULTIVALUE is emulated').default('MULTIVALUE'),
  DnsRecords: z.tuple([
    z.object({
      Type: z.literal('A', 'only A records are emulated'),
      TTL: z
        .number()
        .int()
        .min(0)
        .max(2 ** 31 - 1),
    }),
  ]),
});

export const CreateServiceSchema = z.object({
  Name: ServiceNameSchema,
  NamespaceId: IdSchema.optional(),
  CreatorRequestId: z.string().max(64).optional(),
  Description: z.string().max(1024).optional(),
  DnsConfig: DnsConfigSchema,
  HealthCheckConfig: z.undefined('private namespaces have no health checks of Route 53').optional(),
  HealthCheckCustomConfig: z.undefined('custom health checks are not emulated').optional(),
  Type: z.undefined('services without DNS are not emulated').optional(),
});

const AttributesSchema = z
  .record(z.string().min(1).max(255), z.string().max(1024))
  .refine((attributes) => customOf(attributes).length <= 30, 'at most 30 custom attributes')
  .refine((attributes) => customOf(attributes).join('').length <= 5_000, 'at most 5,000 characters in all');
const customOf = (attributes: Readonly<Record<string, string>>): string[] =>
  Object.entries(attributes).flatMap(([name, value]) => (name.startsWith('AWS_') ? [] : [name + value]));

export const RegisterInstanceSchema = z.object({
  ServiceId: IdSchema,
  InstanceId: InstanceIdSchema,
  CreatorRequestId: z.string().max(64).optional(),
  Attributes: AttributesSchema.and(z.looseObject({ AWS_INSTANCE_IPV4: z.ipv4() })).transform(
    (attributes): Readonly<Record<string, string>> => attributes,
  ),
});

export const InstanceSchema = z.object({ ServiceId: IdSchema, InstanceId: InstanceIdSchema });
export const NamedSchema = z.object({ Id: IdSchema });
export const OperationSchema = z.object({ OperationId: z.string().min(1).max(64) });
export const ListInstancesSchema = PageSchema.extend({ ServiceId: IdSchema });

export const ListServicesSchema = PageSchema.extend({
  Filters: z
    .array(
      z.object({
        Name: z.literal('NAMESPACE_ID', 'only NAMESPACE_ID is emulated'),
        Condition: z.enum(['EQ', 'IN']).default('EQ'),
        Values: z.array(IdSchema).min(1),
      }),
    )
    .default([]),
});

export const DiscoverInstancesSchema = z.object({
  NamespaceName: z.string().min(1).max(1024),
  ServiceName: z.string().min(1).max(1024),
  MaxResults: z.number().int().min(1).max(1000).default(100),
  QueryParameters: z.record(z.string(), z.string()).default({}),
  HealthStatus: z.enum(['HEALTHY', 'UNHEALTHY', 'ALL', 'HEALTHY_OR_ELSE_ALL']).default('HEALTHY'),
});
