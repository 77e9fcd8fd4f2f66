import { type Context, Hono } from 'hono';
import { asTime } from '../../../domain/base/time.ts';
import type { Finding } from '../domain/finding.ts';
import { PRUNABLE_MS } from '../domain/kept-jobs.ts';
import type { StoredDeadLetter } from '../../../ports/dead-letters.ts';
import type { DataFolderView, Diagnosis, Doctor } from '../ports/doctor.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../../../kube/http/status-error.ts';

const INSTALLATION = '/diagnosis';
const JOBS_OF_ALL = '/jobs/diagnosis';
const JOBS_OF_ONE = '/namespaces/:namespace/jobs/diagnosis';
const JOB = '/namespaces/:namespace/jobs/:name/diagnosis';

/**
 * How Jobs have failed, what keeps them running, and what is inconsistent, as `muster doctor` shows it: Muster's own object.
 */
export function diagnosisRoutes(doctor: Doctor): Hono {
  const app = new Hono();
  app.get(INSTALLATION, async (c) => {
    const { deadLetters, dataFolder, ...diagnosis } = await doctor.installation();
    return c.json({
      ...renderDiagnosis(diagnosis),
      deadLetters: deadLetters.map(renderDeadLetter),
      ...(dataFolder === null ? {} : { dataFolder: renderDataFolder(dataFolder) }),
    });
  });
  const page = async (namespace: string | null, c: Context) => {
    const asked = { namespace, after: c.req.query('continue') ?? null };
    const isRestored = c.req.query('afterRestore') === 'true';
    const { checked: looked, next, ...diagnosis } = await (isRestored ? doctor.restored(asked) : doctor.jobs(asked));
    return { ...renderDiagnosis(diagnosis), looked, continue: next ?? '' };
  };
  app.get(JOBS_OF_ALL, async (c) => c.json(await page(null, c)));
  app.get(JOBS_OF_ONE, async (c) => c.json(await page(c.req.param('namespace'), c)));
  app.get(JOB, async (c) => {
    const { namespace, name } = c.req.param();
    const diagnosis = await doctor.job(namespace, name);
    return diagnosis === null ? errorResponse(notFound(API_KINDS.Job, name)) : c.json(renderDiagnosis(diagnosis));
  });
  for (const path of [INSTALLATION, JOBS_OF_ALL, JOBS_OF_ONE, JOB])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

const renderDiagnosis = ({ at, findings }: Diagnosis) => ({
  apiVersion: 'muster.run/v1',
  kind: 'Diagnosis',
  asOf: asTime(at),
  /** An empty list is not an error. */
  healthy: findings.every(({ severity }) => severity !== 'error'),
  findings: findings.map(renderFinding),
});

const renderFinding = ({ severity, kind, subject, what, since, remedy, details }: Finding) => ({
  severity,
  kind,
  subject,
  what,
  since: since === null ? null : asTime(since),
  remedy,
  ...(details === undefined ? {} : { details }),
});

const renderDataFolder = ({ path, bytes, jobs, logsBytes, tasksBytes, kept }: DataFolderView) => ({
  path,
  bytes,
  jobsFile: jobs,
  logsBytes,
  tasksBytes,
  jobs: kept.count,
  /** There are more Jobs than were read. */
  more: kept.more,
  oldestJob:
    kept.oldest === null
      ? null
      : { namespace: kept.oldest.namespace, name: kept.oldest.name, createdAt: asTime(kept.oldest.createdAt) },
  prunable: { olderThanSeconds: PRUNABLE_MS / 1000, jobs: kept.prunable.count, namespaces: kept.prunable.namespaces },
});

const renderDeadLetter = ({ queue, id, job, reason, body, sentAt, filedAt }: StoredDeadLetter) => ({
  queue,
  id,
  job,
  reason,
  sentAt: asTime(sentAt),
  filedAt: asTime(filedAt),
  body,
});
