import * as z from 'zod';
import { opt, plainTime, text } from '../../../schema/object/json-fields.ts';

/** The status of a CronJob as clients write it, with every field of Kubernetes 1.34. */

const objectReference = z.strictObject({
  kind: text,
  namespace: text,
  name: text,
  uid: text,
  apiVersion: text,
  resourceVersion: text,
  fieldPath: text,
});

export const cronJobStatusShape = z.strictObject({
  active: opt(z.array(objectReference)),
  lastScheduleTime: plainTime,
  lastSuccessfulTime: plainTime,
});

export type CronJobStatusShape = z.output<typeof cronJobStatusShape>;
