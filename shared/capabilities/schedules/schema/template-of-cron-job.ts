import type { TemplateRow } from '../../../schema/submission/stored-template.ts';
import { storedCronJob } from './cron-document.ts';

/** A CronJob is a template for messages, too. */
export const CRON_JOB_TEMPLATE: TemplateRow = {
  kind: 'CronJob',
  read(document) {
    const { manifest, uid } = storedCronJob(document);
    const { metadata, spec } = manifest.spec.jobTemplate;
    const { labels = {}, annotations = {} } = metadata;
    const { name } = manifest.metadata;
    return { name, labels, annotations, spec, owner: { apiVersion: 'batch/v1', kind: 'CronJob', name, uid } };
  },
};
