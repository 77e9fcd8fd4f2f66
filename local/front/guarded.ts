import { Hono } from 'hono';
import { loopbackGuard } from '../../shared/kube/http/guard.ts';
import type { AskApi } from '../local-part.ts';

/** As for all requests: no page of another site, and no name that was rebound. */
export function guarded(decide: AskApi): AskApi {
  const app = new Hono<{ Bindings: Readonly<Record<string, unknown>> }>();
  app.use(loopbackGuard);
  app.all('*', (c) => decide(c.req.raw, c.env));
  return (request, env) => app.fetch(request, env);
}
