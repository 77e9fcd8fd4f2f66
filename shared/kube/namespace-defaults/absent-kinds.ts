import { Hono } from 'hono';
import { type ApiKind, pathOfAll, pathWithin } from '../../domain/kinds/api-kind.ts';
import { errorResponse, noSuchPath } from '../http/status-error.ts';

type AbsentKind = Pick<ApiKind, 'group' | 'version' | 'plural'> & {
  /** What is used instead. */
  readonly refusal: string;
};

/** Kinds that users of a cluster expect in a namespace. */
export const ABSENT: readonly AbsentKind[] = [
  {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    refusal: 'there are no Deployments here: Muster runs Jobs and CronJobs, to their end (docs/kubectl.md)',
  },
];

/** Answers requests for kinds that do not exist here: 404, as for any other, but with words that say what to use. */
export function absentKindRoutes(): Hono {
  const app = new Hono();
  for (const { refusal, ...kind } of ABSENT) {
    const [address, within] = [pathOfAll(kind), pathWithin(kind, ':namespace')];
    for (const path of [address, within, `${within}/:name`]) app.all(path, () => errorResponse(noSuchPath(refusal)));
  }
  return app;
}
