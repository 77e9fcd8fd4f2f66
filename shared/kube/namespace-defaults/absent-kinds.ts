import { Hono } from 'hono';
import { errorResponse, noSuchPath } from '../http/status-error.ts';

/** Kinds that users of a cluster expect in a namespace, and what is used instead, by their addresses. */
const ABSENT: Readonly<Record<string, (isEmbedded: boolean) => string>> = {
  '/api/v1/secrets': (isEmbedded) =>
    `there are no Secrets here: ${
      isEmbedded
        ? 'what secretKeyRef names is the file secrets/<namespace>/<name>/<key> in the data folder'
        : 'what secretKeyRef names is a key of the Secrets Manager secret muster/<namespace>/<name>/secret'
    } (docs/pod-template.md, Secrets and ConfigMaps)`,
  '/api/v1/persistentvolumeclaims': () =>
    'there are no PersistentVolumeClaims here: use an emptyDir, or read and write an object store or a shared file system from the program (docs/pod-template.md, Volumes)',
  '/apis/apps/v1/deployments': () =>
    'there are no Deployments here: Muster runs Jobs and CronJobs, to their end (docs/kubectl.md)',
};

/** Answers requests for kinds that do not exist here: 404, as for any other, but with words that say what to use. */
export function absentKindRoutes(isEmbedded: boolean): Hono {
  const app = new Hono();
  for (const [address, refusal] of Object.entries(ABSENT)) {
    const at = address.lastIndexOf('/');
    const within = `${address.slice(0, at)}/namespaces/:namespace${address.slice(at)}`;
    for (const path of [address, within, `${within}/:name`])
      app.all(path, () => errorResponse(noSuchPath(refusal(isEmbedded))));
  }
  return app;
}
