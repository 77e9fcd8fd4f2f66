import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import { COMMAND_MAKERS, capabilityGuards } from '../capabilities/lists/handlers.ts';
import { CAPABILITY_ROUTES } from '../capabilities/lists/routes.ts';
import { makeEach } from '../control/process/make-each.ts';
import { createOwnerCommands } from '../control/lifecycle/owner-changes.ts';
import { createJobCommands } from '../control/lifecycle/job-changes.ts';
import { emptyNamespace } from '../control/lifecycle/namespaces.ts';
import { createReadFailures } from '../control/failures/read-failures.ts';
import { offersOf } from '../control/process/offers.ts';
import { readLaunchPace } from '../control/process/launch-pace.ts';
import type { ApiOptions } from '../kube/http/api-deps.ts';
import { createKubeApi } from '../kube/kube-api.ts';
import type { Audit } from '../ports/callers/audit.ts';
import { Busy } from '../ports/busy.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { originOfGateway } from './origin-of-gateway.ts';
import type { Served } from './registered.ts';
import type { Runtime } from './runtime.ts';

/** How much of a namespace is deleted while its user waits; the sweep does the rest. */
const WHILE_ASKED = { deletions: 200, ms: 3_000 };

/**
 * The Kubernetes API over this process's runtime. `dataFolder`: where it keeps Jobs on this machine, if it does. `startDelays`: why
 * its tasks have not started, if it runs them itself. `engineLeftovers`: what its container engine keeps in vain. `audit`: default, the log.
 */
export const kubeApiOf = (
  { deps, notifications, logs, deadLetters: { deadLetters }, submissions, queueDepths, taskRoles }: Runtime,
  options: ApiOptions = {},
  {
    dataFolder,
    startDelays,
    engineLeftovers,
    audit = auditIn(deps.telemetry),
  }: Pick<Served, 'dataFolder' | 'startDelays' | 'engineLeftovers'> & { readonly audit?: Audit | undefined } = {},
): Hono =>
  createKubeApi(
    {
      jobs: deps.jobs,
      feed: deps.feed,
      taskNames: deps.hosts,
      objects: deps.objects,
      ports: deps.ports,
      crons: deps.crons,
      items: deps.items,
      itemCache: deps.cache.items,
      notifications,
      logs,
      clock: deps.clock,
      telemetry: deps.telemetry,
      newUid: randomUUID,
      formats: deps.settings.formats ?? 'current',
      hash: deps.hash,
      hosts: offersOf(deps).hosts,
      readFailures: createReadFailures(logs, deps),
      capabilityRoutes: CAPABILITY_ROUTES.map((routesOf) =>
        routesOf({ deps, deadLetters, queueDepths, logs, dataFolder, startDelays, engineLeftovers }),
      ),
      submissions,
      taskRoles,
      deadLetters,
      audit,
      jobCommands: createJobCommands(deps),
      owners: (kind) => createOwnerCommands(kind, deps),
      commands: makeEach(COMMAND_MAKERS, deps),
      objectGuards: capabilityGuards(deps),
      launchPace: () => readLaunchPace(deps),
      startDelays,
      emptyNamespace: (name) => emptyNamespace(name, deps, WHILE_ASKED).catch(untilSwept),
    },
    { originOf: originOfGateway, ...options },
  );

/** Into the log of the function, a line each. */
const auditIn = (telemetry: Pick<Telemetry, 'info'>): Audit => ({
  record: (event) => telemetry.info('audit', event),
});

/** The deletion is stored: what concurrent writers delay now must not fail the request. */
function untilSwept(error: unknown): void {
  if (!(error instanceof Busy)) throw error;
}
