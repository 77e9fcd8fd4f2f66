import { type EpochMs, asEpochMs, asTime } from '../../../domain/base/time.ts';
import { timeInZone } from '../../../domain/schedulers/wall-time.ts';
import { countedFrom } from '../domain/slots.ts';
import { slotsAfter } from '../../../domain/schedulers/next-slot.ts';
import { API_KINDS, OWNERS } from '../../../domain/kinds/api-kinds.ts';
import { TIMED_KINDS } from '../../lists/cli/command-line.ts';
import { at as fieldAt } from '../../../kube/list/stored-field.ts';
import { reach } from '../../../../cli/client/reach.ts';
import { EXIT, Failure, usageFailure } from '../../../../cli/shell/failure.ts';
import type { OwnerName } from '../../../../cli/shell/job-names.ts';
import { readManifest } from '../../../../cli/shell/manifest-file.ts';
import { formatDuration } from '../../../../cli/text/age.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { objectText } from '../../../../cli/render/object-text.ts';
import { renderTable } from '../../../../cli/text/table.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { nameOfFile } from '../../../../cli/client/admitted-file.ts';
import { ownerNamed } from './named-cron.ts';
import type { Timetable } from '../../../../cli/client/timed-kind.ts';
import { type TimedCron, admitted, createdAt, knownSlots, timedCronOf, timedCronOfManifest } from './timed-cron.ts';

export type NextFlags = {
  readonly count: number;
  /** The slots after this moment; null: after now. */
  readonly afterMs: number | null;
  readonly namespace: string | null;
  /** null: text for people */
  readonly output: ObjectForm | null;
  readonly kubeconfig: string | null;
};

/** An object of the server, or of a file. */
export type CronSource = { readonly file: string } | OwnerName;

/** `muster cron next`: when a CronJob, or another object with a schedule, fires next. */
export async function cronNext(source: CronSource, flags: NextFlags, shell: Shell): Promise<number> {
  const after = asEpochMs(flags.afterMs ?? shell.now());
  const timetable = await readTimetable(source, after, flags, shell);
  const slots = timetable.slotsAfter(after, flags.count);
  if (slots.length === 0) throw new Failure(`error: ${timetable.ref} never fires: ${timetable.whyNever}`);
  if (flags.output !== null) shell.out.write(objectText(objectOf(timetable, slots), flags.output));
  else shell.out.write(tableOf(timetable, slots, after));
  if (timetable.pause !== null) shell.err.write(`${timetable.ref} is ${timetable.pause}\n`);
  return EXIT.ok;
}

async function readTimetable(source: CronSource, after: EpochMs, flags: NextFlags, shell: Shell): Promise<Timetable> {
  if ('file' in source) return timetableOfFile(await readManifest(source.file, shell), source.file, after);
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const found = await ownerNamed(source, namespace, client);
  return found.timed === null
    ? timetableOfCron(timedCronOf(found.cron))
    : found.timed.timetableOf(found.object, client.target);
}

function timetableOfFile(document: unknown, file: string, after: EpochMs): Timetable {
  const kind = fieldAt(document, 'kind');
  if (kind === 'CronJob') return timetableOfCron(timedCronOfManifest(admitted(document, file)));
  const timed = TIMED_KINDS.find((each) => API_KINDS[each.kind].kind === kind);
  if (timed !== undefined) return timed.timetableOfFile(document, file, after);
  const what = typeof kind === 'string' && kind !== '' ? `the kind ${JSON.stringify(kind)}` : 'no kind';
  throw usageFailure(
    `${nameOfFile(file)} has ${what}: muster cron next takes ${OWNERS.map((each) => `a ${each.kind}`).join(' or ')}`,
  );
}

function timetableOfCron(cron: TimedCron): Timetable {
  const { zone, schedule, next } = knownSlots(cron);
  const { name, namespace, jitterSec } = cron;
  return {
    kind: 'CronJob',
    ref: `cronjob.batch/${name}`,
    name,
    namespace,
    schedule: cron.schedule,
    zone,
    wall: (at) => timeInZone(zone, at),
    slotsAfter: (after, count) => slotsAfter(next, countedFrom(schedule, cron.stored?.since ?? after, after), count),
    jitterSec,
    createdAt: (slot) => createdAt(cron, slot),
    whyNever: `no day matches ${JSON.stringify(cron.schedule)}`,
    pause: cron.isSuspended ? 'suspended: no Job is created until `muster cron resume`' : null,
  };
}

function tableOf({ zone, wall, jitterSec, createdAt: created }: Timetable, slots: readonly EpochMs[], after: EpochMs) {
  const hasJitter = jitterSec > 0;
  const rows = slots.map((slot) => {
    const at = created(slot);
    const when = at === null ? `up to ${formatDuration(jitterSec * 1000)} later` : asTime(at);
    return [wall(slot), asTime(slot), formatDuration(slot - after), ...(hasJitter ? [when] : [])];
  });
  return renderTable([zone.toUpperCase(), 'UTC', 'IN', ...(hasJitter ? ['CREATED'] : [])], rows);
}

const objectOf = (timetable: Timetable, slots: readonly EpochMs[]): object => ({
  kind: timetable.kind,
  name: timetable.name,
  namespace: timetable.namespace,
  schedule: timetable.schedule,
  timeZone: timetable.zone,
  suspend: timetable.pause !== null,
  jitterSeconds: timetable.jitterSec,
  slots: slots.map((slot) => {
    const at = timetable.createdAt(slot);
    return { scheduled: timetable.wall(slot), utc: asTime(slot), created: at === null ? null : asTime(at) };
  }),
});
