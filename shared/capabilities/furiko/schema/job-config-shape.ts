import * as z from 'zod';
import { flag, int64, known, opt, plainTime, text, texts } from '../../../schema/object/json-fields.ts';
import { metadataShape } from '../../../schema/object/metadata-shape.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { furikoTemplateShape } from './furiko-job-shape.ts';
import { optionShape } from './option-rules.ts';

/** A JobConfig as clients write it. */

const scheduleShape = z.strictObject({
  cron: opt(z.strictObject({ expression: text, expressions: texts, timezone: text })),
  disabled: flag,
  constraints: opt(z.strictObject({ notBefore: plainTime, notAfter: plainTime })),
  lastUpdated: plainTime,
});

const templateOfConfigShape = z.strictObject({
  metadata: opt(metadataShape),
  spec: opt(furikoTemplateShape).transform((given) => given ?? furikoTemplateShape.parse({})),
});

const jobConfigSpecShape = z.strictObject({
  template: opt(templateOfConfigShape).transform((given) => given ?? templateOfConfigShape.parse({})),
  concurrency: opt(z.strictObject({ policy: text, maxConcurrency: int64 })),
  schedule: opt(scheduleShape),
  option: opt(z.strictObject({ options: opt(z.array(optionShape)) })),
});

export const JobConfigShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(jobConfigSpecShape).transform((given) => given ?? jobConfigSpecShape.parse({})),
  // Its controller writes it; a client may send back what it has read.
  ...known('status'),
});

export type JobConfigShape = z.output<typeof JobConfigShape>;
export type JobConfigSpecShape = z.output<typeof jobConfigSpecShape>;
export type ScheduleShape = z.output<typeof scheduleShape>;
