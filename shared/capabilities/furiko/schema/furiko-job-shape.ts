import * as z from 'zod';
import { flag, int64, known, opt, plainTime, text, textMap, texts } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { templateShape } from '../../../schema/pod/pod-shape.ts';

/**
 * A Job of Furiko's as clients write it. Fields that it had in earlier versions may have any content: former-fields.ts refuses them,
 * and says what they are called now.
 */

const parallelismShape = z.strictObject({
  withCount: int64,
  withKeys: texts,
  withMatrix: opt(
    z.record(
      z.string(),
      texts.transform((values) => values ?? []),
    ),
  ),
  completionStrategy: text,
});

const taskTemplateShape = z.strictObject({
  pod: opt(templateShape),
  ...known('argoWorkflow', 'metadata', 'spec'),
});

export const furikoTemplateShape = z.strictObject({
  taskTemplate: opt(taskTemplateShape),
  parallelism: opt(parallelismShape),
  maxAttempts: int64,
  retryDelaySeconds: int64,
  taskPendingTimeoutSeconds: int64,
  forbidTaskForceDeletion: flag,
  ...known('task', 'maxRetryAttempts', 'pendingTimeoutSeconds', 'forbidForceDeletion', 'metadata', 'spec'),
});

const furikoSpecShape = z.strictObject({
  configName: text,
  type: text,
  startPolicy: opt(z.strictObject({ concurrencyPolicy: text, startAfter: plainTime })),
  template: opt(furikoTemplateShape),
  optionValues: text,
  substitutions: textMap,
  killTimestamp: plainTime,
  ttlSecondsAfterFinished: int64,
});

export const FurikoJobShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(furikoSpecShape).transform((given) => given ?? furikoSpecShape.parse({})),
  // Muster renders it; a client may send back what it has read.
  ...known('status'),
});

export type FurikoJobShape = z.output<typeof FurikoJobShape>;
export type FurikoSpecShape = z.output<typeof furikoSpecShape>;
export type FurikoTemplateShape = z.output<typeof furikoTemplateShape>;
export type ParallelismShape = z.output<typeof parallelismShape>;
