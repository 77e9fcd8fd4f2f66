import { plusMs, soonest } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { takePlace, withoutPlace } from '../domain/config-places.ts';
import { isHidden } from '../../../domain/scoreboard/status.ts';
import type { GivenPlace, PlaceCommands, WantedPlace } from '../ports/place-commands.ts';
import type { ObjectKey } from '../../../ports/object-store.ts';
import { storedJobConfig } from '../schema/job-config-admission.ts';
import { retryOnConflict } from '../../../store/retry-on-conflict.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { freshRow } from '../../../control/lifecycle/arm-cron.ts';

/** How users' Jobs get places in JobConfigs, as the API sees it. */
export const createPlaceCommands = (deps: Deps): PlaceCommands => ({
  takePlace: (configUid, key, wanted) => reserve(configUid, key, wanted, deps),
  givePlaceBack: (configUid, uid) => giveBack(configUid, uid, deps),
});

/** Many users may create Jobs of one JobConfig at once. */
const TRIES_MAX = 40;
const PATIENT_AFTER = 4;
const PATIENCE_MS = 25;
/** A request that takes a place may die before its Job is stored; the scheduler looks then. */
const LOOK_MS = 60_000;

/** The row is written before the Job is: were it the other way round, two Jobs might both start and then find one place. */
async function reserve(configUid: string, key: ObjectKey, wanted: WantedPlace, deps: Deps): Promise<GivenPlace> {
  const { crons, objects, clock } = deps;
  return retryOnConflict(`places of JobConfig ${key.namespace}/${key.name}`, TRIES_MAX, async (nth) => {
    if (nth >= PATIENT_AFTER) await clock.sleep(PATIENCE_MS * (nth - PATIENT_AFTER + 1));
    const object = await objects.read('JobConfig', key);
    if (object === null || object.document.metadata.uid !== configUid) return { kind: 'gone' };
    const { manifest, deleting } = storedJobConfig(object.document);
    if (deleting) return { kind: 'gone' };
    const row = (await crons.read(configUid)) ?? freshRow('JobConfig', configUid, key);
    if (row.kind !== 'JobConfig') return { kind: 'gone' };
    const now = clock.now();
    const taken = takePlace(row.state, { ...wanted, slot: null }, manifest.spec.concurrency, now);
    if (taken.kind === 'refused') return { kind: 'refused', message: taken.message };
    if (taken.state === row.state) return { kind: taken.kind };
    const alarmAt = soonest(row.alarmAt, plusMs(now, LOOK_MS));
    const written = await crons.write({ ...row, state: taken.state, alarmAt });
    return written.kind === 'lost' ? 'conflict' : { kind: taken.kind };
  });
}

async function giveBack(configUid: string, uid: JobUid, { crons, jobs, queues }: Deps): Promise<void> {
  await retryOnConflict(`places of JobConfig ${configUid}`, TRIES_MAX, async () => {
    const status = await jobs.readStatus(uid);
    if (status !== null && !isHidden(status.phase)) return 'done';
    const row = await crons.read(configUid);
    if (row === null || row.kind !== 'JobConfig') return 'done';
    const state = withoutPlace(row.state, uid);
    if (state === row.state) return 'done';
    if ((await crons.write({ ...row, state })).kind === 'lost') return 'conflict';
    await queues.wakeCrons([{ cron: configUid, delaySec: 0 }]); // who waits behind it may start
    return 'done';
  });
}
