import { expect } from 'vitest';
import type { AServer } from '../../../../../test/cli/a-server.ts';

/** A CronJob whose Jobs run one Pod. */
export const cronJob = (name: string, schedule: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, ...metadata },
  spec: {
    schedule,
    ...spec,
    jobTemplate: {
      metadata: { labels: { app: name }, annotations: { 'muster.run/disruptions': 'count' } },
      spec: {
        ttlSecondsAfterFinished: 60,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'] }] },
        },
      },
    },
  },
});

/** Creates it as kubectl does. */
export async function createCron({ url }: AServer, document: object): Promise<void> {
  const path = `${url}/apis/batch/v1/namespaces/default/cronjobs`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(path, { method: 'POST', headers, body: JSON.stringify(document) });
  expect(status).toBe(201);
}
