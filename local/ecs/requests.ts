import * as z from 'zod';
import { OverridesSchema } from './task-record.ts';

const TagsSchema = z
  .array(z.object({ key: z.string().min(1).max(128), value: z.string().max(256).optional() }))
  .max(50, 'at most 50 tags')
  .refine((tags) => tags.every(({ key }) => !key.startsWith('aws:')), 'tags must not begin with aws:');

const NetworkSchema = z.looseObject({
  awsvpcConfiguration: z
    .looseObject({
      subnets: z.array(z.string()).min(1, 'subnets can not be empty.').max(16, 'at most 16 subnets'),
      securityGroups: z.array(z.string()).max(5, 'at most 5 security groups').optional(),
    })
    .optional(),
});

const StrategySchema = z
  .array(
    z.object({
      capacityProvider: z.enum(['FARGATE', 'FARGATE_SPOT']),
      weight: z.number().int().min(0).max(1000).optional(),
      base: z.number().int().min(0).max(100_000).optional(),
    }),
  )
  .max(20, 'at most 20 capacity providers');

/** RunTask (ECS API reference; reference/aws.md 1.1, 1.2). Members without effect here still count for the token. */
export const RunTaskSchema = z.looseObject({
  cluster: z.string().optional(),
  taskDefinition: z.string().min(1, 'TaskDefinition can not be blank.'),
  count: z.number().int().min(1).max(10, 'count must be between 1 and 10').optional(),
  clientToken: z
    .string()
    .regex(/^[!-~]{1,64}$/, 'clientToken: up to 64 ASCII characters in the range of 33-126')
    .optional(),
  group: z.string().max(255, 'group: at most 255 characters').optional(),
  startedBy: z
    .string()
    .regex(
      /^[A-Za-z0-9/_-]{0,128}$/,
      'startedBy: up to 128 letters, numbers, hyphens, forward slashes, and underscores',
    )
    .optional(),
  launchType: z.enum(['FARGATE']).optional(),
  capacityProviderStrategy: StrategySchema.optional(),
  networkConfiguration: NetworkSchema.optional(),
  overrides: OverridesSchema.optional(),
  propagateTags: z.enum(['TASK_DEFINITION', 'NONE']).optional(),
  tags: TagsSchema.optional(),
});

/** The family and revision, or the ARN. */
export const DeregisterDefinitionSchema = z.object({
  taskDefinition: z.string().regex(/:\d+$/, 'The specified task definition must have a revision.'),
});

export const ListFamiliesSchema = z.object({
  familyPrefix: z.string().optional(),
  status: z.enum(['ACTIVE'], 'only families with an ACTIVE definition are listed here'),
  maxResults: z.number().int().min(1).max(100).default(100),
  nextToken: z.string().optional(),
});

export const StopTaskSchema = z.object({
  cluster: z.string().optional(),
  task: z.string().min(1),
  reason: z.string().max(1024).optional(),
});

export const DescribeTasksSchema = z.object({
  cluster: z.string().optional(),
  tasks: z.array(z.string()).min(1, 'Tasks cannot be empty.').max(100, 'at most 100 tasks'),
  include: z.array(z.enum(['TAGS'])).optional(),
});

export const ListTasksSchema = z.object({
  cluster: z.string().optional(),
  family: z.string().optional(),
  serviceName: z.string().optional(),
  containerInstance: z.string().optional(),
  daemonName: z.string().optional(),
  startedBy: z.string().optional(),
  desiredStatus: z.enum(['RUNNING', 'PENDING', 'STOPPED']).optional(),
  launchType: z.enum(['EC2', 'FARGATE', 'EXTERNAL', 'MANAGED_INSTANCES']).optional(),
  maxResults: z.number().int().min(1).max(100, 'maxResults must be between 1 and 100').optional(),
  nextToken: z.string().optional(),
});

export const DescribeDefinitionSchema = z.object({
  taskDefinition: z.string().min(1),
  include: z.array(z.string()).optional(),
});

export type RunTaskRequest = z.infer<typeof RunTaskSchema>;
export type ListTasksRequest = z.infer<typeof ListTasksSchema>;
