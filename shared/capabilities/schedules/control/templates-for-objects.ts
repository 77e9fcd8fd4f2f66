import { type ObjectPattern, matchesObject, parseObjectPattern } from '../annotations/object-pattern.ts';
import { CRON_JOB_ANNOTATIONS } from '../annotations/index.ts';
import type { ObjectTemplates } from '../../../control/submit/object-templates.ts';
import type { ObjectKey, ObjectStore, StoredObject } from '../../../ports/object-store.ts';
import type { CreatedObject, Submission } from '../../../schema/submission/submission.ts';
import { variablesOf } from '../../../schema/submission/job-of-submission.ts';

type Known = { readonly uid: string; readonly key: ObjectKey; readonly pattern: ObjectPattern };

const PLACE = CRON_JOB_ANNOTATIONS.onObjectCreated.key;
const CRONS_PER_READ = 200;
const CHANGES_PER_READ = 100;

/**
 * Knows the CronJobs that make Jobs for objects of S3, for one process. It reads all CronJobs once, and then what has changed since: where nothing has, that is one read of
 * half a unit for each object.
 */
export function createObjectTemplates(objects: ObjectStore): ObjectTemplates {
  const known = new Map<string, Known>();
  let at: number | null = null;
  let updating: Promise<void> = Promise.resolve();

  const note = ({ key, document }: StoredObject): void => {
    const { uid } = document.metadata;
    const pattern = patternOf(document.metadata);
    if (pattern === null) known.delete(uid);
    else known.set(uid, { uid, key, pattern });
  };
  const readAll = async (): Promise<void> => {
    const head = await objects.head('CronJob');
    known.clear();
    let after: string | null = null;
    do {
      const page = await objects.list('CronJob', { namespace: null, after, limit: CRONS_PER_READ });
      page.objects.forEach(note);
      after = page.next;
    } while (after !== null);
    at = head; // changes since then are read again
  };
  const readOn = async (): Promise<void> => {
    if (at === null) return readAll();
    for (;;) {
      const page = await objects.changes('CronJob', at, CHANGES_PER_READ);
      if (page.kind === 'expired') return readAll();
      for (const { type, object } of page.rows) {
        if (type === 'DELETED') known.delete(object.document.metadata.uid);
        else note(object);
        at = object.version;
      }
      if (page.rows.length < CHANGES_PER_READ) return;
    }
  };

  return {
    whyNone: `no CronJob has the annotation ${PLACE}`,
    async submissionsFor(object) {
      updating = updating.catch(() => undefined).then(readOn);
      await updating;
      return [...known.values()]
        .filter(({ pattern }) => matchesObject(pattern, object))
        .toSorted((a, b) => compare(a.key.namespace, b.key.namespace) || compare(a.key.name, b.key.name))
        .map(({ uid, key }) => submissionOf(object, uid, key));
    },
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** null: it makes no Jobs for objects, or is being deleted. */
function patternOf({ annotations, deletionTimestamp }: Readonly<Record<string, unknown>>): ObjectPattern | null {
  if (deletionTimestamp !== undefined || typeof annotations !== 'object' || annotations === null) return null;
  const text: unknown = Reflect.get(annotations, PLACE);
  return typeof text === 'string' ? parseObjectPattern(text) : null;
}

const submissionOf = (object: CreatedObject, uid: string, { namespace, name }: ObjectKey): Submission => ({
  namespace,
  source: `${object.source}/${uid}`,
  taskToken: null,
  of: { kind: 'CronJob', name, additions: { name: null, items: null, env: variablesOf(object) } },
});
