import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import { createDoctor } from '../control/doctor.ts';
import { deleteCronJob, finishCronJob } from '../control/cron-changes.ts';
import { changeJob, createJob, deleteJob, deletePod } from '../control/job-changes.ts';
import { emptyNamespace } from '../control/namespaces.ts';
import { readLaunchPace } from '../control/launch-pace.ts';
import type { ApiOptions } from '../kube/api-deps.ts';
import { createKubeApi } from '../kube/kube-api.ts';
import { Busy } from '../ports/busy.ts';
import type { Runtime } from './runtime.ts';

/** What of a namespace is deleted while its user waits; the sweep does the rest. */
const WHILE_ASKED = { deletions: 200, ms: 3_000 };

/** The Kubernetes API over this process's runtime. */
export const kubeApiOf = (
  { deps, news, logs, letters: { letters }, queueDepths }: Runtime,
  options: ApiOptions = {},
): Hono =>
  createKubeApi(
    {
      jobs: deps.jobs,
      feed: deps.feed,
      objects: deps.objects,
      news,
      logs,
      clock: deps.clock,
      telemetry: deps.telemetry,
      newUid: randomUUID,
      hosts: deps.hostnames === null ? null : { max: deps.settings.hosts.max },
      doctor: createDoctor({ letters, queueDepths, logs }, deps),
      changes: {
        create: (spec) => createJob(spec, deps),
        change: (seen, wish, what) => changeJob(seen, wish, what, deps),
        publish: (spec, status) => deps.publisher.publish(spec.identity, status),
        remove: (uid, propagation) => deleteJob(uid, deps, propagation),
        deletePod: (uid, id, how) => deletePod(uid, id, deps, how),
      },
      cronJobs: {
        remove: (seen, propagation) => deleteCronJob(seen, propagation, deps),
        finish: (terminating) => finishCronJob(terminating, deps),
      },
      launchPace: () => readLaunchPace(deps),
      emptyNamespace: (name) => emptyNamespace(name, deps, WHILE_ASKED).catch(untilSwept),
    },
    options,
  );

/** That it is to be deleted is stored: what so many writers keep from being done now fails nobody's request. */
function untilSwept(error: unknown): void {
  if (!(error instanceof Busy)) throw error;
}
