import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { LaunchTemplate } from '../../domain/task/task.ts';
import type { JobStore, LaunchRow } from '../../ports/job-store.ts';
import { type Condition, EXISTS, both, lacks, versionIs } from '../rows/condition.ts';
import { json, jsonIn, versionIn } from '../rows/fields.ts';
import { type Program, get, rowsIn, storedNow, unlessConflict, write, writeNext } from '../rows/program.ts';
import { FIELD, type Row } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { SlotsSchema, TemplatesSchema } from './row-bodies.ts';
import { jobPartition, launchKey, launchSort, templateKey } from './row-keys.ts';

type Launches = Pick<JobStore, 'readTemplates' | 'addTemplate' | 'readLaunches' | 'readLaunchRange' | 'writeLaunches'>;

/** What launches are made from, and how far each has come. */
export const launches = (table: Table): Launches =>
  methodsOf(table, { readTemplates, addTemplate, readLaunches, readLaunchRange, writeLaunches });

function* readTemplates(uid: JobUid): Program<readonly LaunchTemplate[]> {
  return templatesIn(yield* get(templateKey(uid)));
}

const addTemplate = (uid: JobUid, no: number, template: LaunchTemplate): Program<readonly LaunchTemplate[]> =>
  unlessConflict(`storing template ${no} of ${uid}`, () => tryTemplate(uid, no, template));

/** Stored templates never change; the row's version is their number, but omitted if there is one. */
function* tryTemplate(
  uid: JobUid,
  no: number,
  template: LaunchTemplate,
): Program<readonly LaunchTemplate[] | 'conflict'> {
  const known = no === 0 ? [] : yield* readTemplates(uid);
  if (known.length !== no) return known;
  const templates = [...known, template];
  // A single template is stored as its own body, as in earlier versions of Muster.
  const set =
    no === 0 ? { [FIELD.body]: json(template) } : { [FIELD.body]: json(templates), [FIELD.version]: templates.length };
  const key = templateKey(uid);
  const refusal = yield* write({ kind: 'update', key, set, condition: templatesAre(no), returnOld: true });
  if (refusal === null) return templates;
  return refusal.kind === 'conflict' || refusal.row === null ? 'conflict' : templatesIn(refusal.row);
}

const templatesAre = (count: number): Condition =>
  count === 1 ? both(EXISTS, lacks(FIELD.version)) : versionIs(count);

const templatesIn = (row: Row | null): readonly LaunchTemplate[] =>
  row === null ? [] : [jsonIn(row, TemplatesSchema)].flat();

function* readLaunches(uid: JobUid, no: number): Program<LaunchRow> {
  return launchRow(no, yield* get(launchKey(uid, no)));
}

function* readLaunchRange(uid: JobUid, from: number, to: number): Program<readonly LaunchRow[]> {
  const range = { partition: jobPartition(uid), from: launchSort(from), to: launchSort(to), isEventual: true };
  return (yield* rowsIn(range)).map((row) => launchRow(Number(row.key.sort.split('#')[1]), row));
}

/** Ten slots with their ARNs, which differ in 32 digits, stay under 1 KB. An expired row counts as missing. */
function* writeLaunches(
  uid: JobUid,
  row: LaunchRow,
  expireAt: EpochMs,
): Program<Awaited<ReturnType<JobStore['writeLaunches']>>> {
  const key = launchKey(uid, row.row);
  const refusal = yield* writeNext(key, row.version, { [FIELD.body]: json(row.slots) }, { expireAt });
  if (refusal === null) return { kind: 'written', row: { ...row, version: row.version + 1 } };
  return { kind: 'lost', row: launchRow(row.row, yield* storedNow(key, refusal)) };
}

const launchRow = (no: number, row: Row | null): LaunchRow =>
  row === null
    ? { row: no, version: 0, slots: [] }
    : { row: no, version: versionIn(row), slots: jsonIn(row, SlotsSchema) };
