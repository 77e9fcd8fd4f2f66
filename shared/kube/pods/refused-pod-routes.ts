import { Hono } from 'hono';
import { errorResponse, methodNotAllowed } from '../http/status-error.ts';

/** What nobody can do to a task, and what to do instead; by the subresource of a Pod that clients ask for. */
const REFUSALS: Readonly<Record<string, (name: string) => string>> = {
  exec: (name) =>
    `exec into pod ${JSON.stringify(name)} is not supported: this installation runs no commands in tasks (deployed with -c exec=true, it does, by way of muster exec or muster proxy); read its log with kubectl logs ${name}, or run the command as a Job of its own`,
  attach: (name) =>
    `attach to pod ${JSON.stringify(name)} is not supported: this installation does not attach to tasks (deployed with -c exec=true, it does, by way of muster proxy); follow its output with kubectl logs -f ${name}`,
  portforward: (name) =>
    `port-forward to pod ${JSON.stringify(name)} is not supported: this installation forwards no ports (deployed with -c exec=true, it does, by way of muster proxy); connect to the task itself, from its own network, at the address that kubectl get pod ${name} -o wide shows`,
  proxy: (name) =>
    `the proxy of pod ${JSON.stringify(name)} is not supported: connect to the task itself, from its own network, at the address that kubectl get pod ${name} -o wide shows`,
  ephemeralcontainers: (name) =>
    `debug of pod ${JSON.stringify(name)} is not supported: a task takes no more containers once it runs; look into it with kubectl exec ${name}, where that works, or run a copy of it: kubectl debug ${name} --copy-to=${name}-debug --container=NAME -- COMMAND`,
};

/**
 * Answers `kubectl exec`, `cp`, `attach`, `port-forward`, `proxy` and `debug`. Before all that treats WebSockets: kubectl asks for
 * one, and for SPDY where that is refused, and prints the Status of the second answer.
 */
export function refusedPodRoutes(): Hono {
  const app = new Hono();
  for (const [subresource, refusal] of Object.entries(REFUSALS))
    for (const path of [
      `/namespaces/:namespace/pods/:name/${subresource}`,
      `/namespaces/:namespace/pods/:name/${subresource}/*`,
    ])
      app.all(path, (c) => errorResponse(methodNotAllowed(refusal(c.req.param('name') ?? ''))));
  return app;
}
