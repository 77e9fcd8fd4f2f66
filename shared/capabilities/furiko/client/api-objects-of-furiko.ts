import * as z from 'zod';
import { Metadata, Moment } from '../../../../cli/client/api-objects.ts';
import { pathsOf } from '../../../../cli/client/kube-client.ts';
import { FURIKO_KINDS } from '../kinds/index.ts';

// Objects of the server, as far as the command line reads them.

/** A Job of theirs is one of batch, too. */
export const furikoJobsPath = pathsOf(FURIKO_KINDS.FurikoJob);
export const jobConfigsPath = pathsOf(FURIKO_KINDS.JobConfig);

const JobOptionSchema = z.object({
  type: z.enum(['Bool', 'String', 'Select', 'Multi', 'Date']),
  name: z.string(),
  label: z.string().optional(),
  required: z.boolean().optional(),
  bool: z.looseObject({ default: z.boolean().default(false) }).optional(),
  string: z.looseObject({ default: z.string().optional() }).optional(),
  select: z
    .looseObject({
      default: z.string().optional(),
      values: z.array(z.string()),
      allowCustom: z.boolean().optional(),
    })
    .optional(),
  multi: z.looseObject({ default: z.array(z.string()).default([]), values: z.array(z.string()) }).optional(),
});
export type AskedOption = z.output<typeof JobOptionSchema>;

const RfcTime = z.iso.datetime({ offset: true });
const ConfigScheduleSchema = z.looseObject({
  disabled: z.boolean().default(false),
  cron: z
    .object({ expression: z.string(), expressions: z.array(z.string()), timezone: z.string() })
    .partial()
    .optional(),
  constraints: z.object({ notBefore: RfcTime, notAfter: RfcTime }).partial().optional(),
  lastUpdated: RfcTime.optional(),
});

export const JobConfigSchema = z.object({
  metadata: Metadata,
  spec: z.object({
    schedule: ConfigScheduleSchema.optional(),
    option: z.object({ options: z.array(JobOptionSchema).default([]) }).prefault({}),
  }),
  status: z.object({ active: z.int().default(0), lastScheduled: Moment.optional() }).prefault({}),
});
export type JobConfig = z.output<typeof JobConfigSchema>;

/** A Job of Furiko's. */
export const FurikoJobSchema = z.object({
  metadata: Metadata,
  spec: z.object({
    killTimestamp: Moment.optional(),
    template: z
      .object({
        parallelism: z
          .object({
            withCount: z.int(),
            withKeys: z.array(z.string()),
            withMatrix: z.record(z.string(), z.array(z.string())),
          })
          .partial()
          .optional(),
      })
      .prefault({}),
  }),
  status: z.object({ phase: z.string().default('') }).prefault({}),
});
