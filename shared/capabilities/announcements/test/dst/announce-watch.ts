import { createMemoryAnnouncer } from '../memory-announcer.ts';
import type { Announcement } from '../../domain/announcement.ts';
import { type EpochMs, plusMs } from '../../../../domain/base/time.ts';
import { isBarePod } from '../../../../domain/manifests/bare-pod.ts';
import { watchedCommits } from '../../../../../test/dst/world/watched-commits.ts';
import type { JobUid } from '../../../../domain/base/ids.ts';
import type { JobState, Phase, Status } from '../../../../domain/scoreboard/status.ts';
import type { Announcer } from '../../ports/announcer.ts';
import type { JobStore } from '../../../../ports/job-store.ts';
import type { FaultInjector } from '../../../../../test/dst/world/fault-injector.ts';
import type { About } from '../../../../../test/dst/story.ts';
import type { Fault } from '../../../../../test/dst/world/fault-rates.ts';
import type { Law } from '../../../../../test/dst/checks/law.ts';
import type { Sights } from '../../../../../test/dst/checks/sights.ts';

/** A change that was committed. */
type Change = { readonly state: JobState; readonly at: EpochMs; heard: number; taken: number };

type AnnounceWatchOptions = {
  readonly now: () => EpochMs;
  readonly law: Law;
  readonly injector: FaultInjector;
  readonly sights: Sights;
  readonly tell: (what: string, about: About, fault?: Fault) => void;
};

/** A minute until the next try, a minute until the sweep's, and some seconds for messages and passes. */
const TRIED_MS = 210_000;
const WAIT_MAX_MS = 3_600_000;

/** Knows every change of a Job's state from its commits, and looks at each that is announced (G18). */
export class AnnounceWatch {
  readonly #options: AnnounceWatchOptions;
  readonly #statuses = new Map<JobUid, Status>();
  readonly #changes = new Map<JobUid, Map<number, Change>>();
  /** Bare Pods, which are stored as Jobs: nobody hears of them. */
  readonly #silent = new Set<JobUid>();

  constructor(options: AnnounceWatchOptions) {
    this.#options = options;
  }

  watchJobs(jobs: JobStore): JobStore {
    return {
      ...watchedCommits(jobs, (uid, status) => this.#committed(uid, status)),
      createJob: async (spec, status) => {
        const created = await jobs.createJob(spec, status);
        const { uid } = spec.identity;
        if (created.kind !== 'created' || this.#statuses.has(uid)) return created;
        if (isBarePod(spec.identity)) this.#silent.add(uid);
        // With its first Pods it has started.
        if (status.startTime !== null) this.#statuses.set(uid, { ...status, startTime: null });
        this.#committed(uid, status);
        return created;
      },
    };
  }

  /** The listener: it takes each change, unless the weather is against it. */
  announcer(): Announcer {
    return createMemoryAnnouncer((change) => this.#hears(change));
  }

  #committed(uid: JobUid, status: Status): void {
    const before = this.#statuses.get(uid) ?? null;
    this.#statuses.set(uid, status);
    if (this.#silent.has(uid)) return;
    const state = changeBetween(before, status);
    if (state === null) return;
    const changes = this.#changes.get(uid) ?? new Map<number, Change>();
    this.#changes.set(uid, changes.set(status.version, { state, at: this.#options.now(), heard: 0, taken: 0 }));
  }

  #hears({ uid, id, version, detail }: Announcement): boolean {
    const { law, injector, sights, tell } = this.#options;
    const forbid = law.of(uid);
    const change = this.#changes.get(uid)?.get(version);
    const about = { uids: [uid], indexes: null };
    tell(`hears ${id}: ${detail.state}`, about);
    forbid(
      change === undefined,
      'G18',
      () => `${detail.state} is announced as of version ${version}, which is no change`,
    );
    if (change === undefined) return false;
    forbid(id !== `${uid}/${version}`, 'G18', () => `the change of version ${version} is announced as ${id}`);
    forbid(change.state !== detail.state, 'G18', () => `${change.state} is announced as ${detail.state}`);
    const isTrue = detail.state !== 'Completed' || detail.status.conditions.some(({ type }) => type === 'Complete');
    forbid(!isTrue, 'G18', () => `${id} says that the Job is complete, and its status does not`);
    change.heard++;
    if (change.heard > 1) sights.see('announced again');
    if (injector.strikes('announcement refused', injector.faultRates.announcementRefused)) {
      tell(`and does not take it`, about, 'announcement refused');
      return false;
    }
    change.taken++;
    sights.see('announced');
    return true;
  }

  /** In calm weather, now and then: what nobody has taken is tried again in time. */
  checkCalm(clearSince: EpochMs): void {
    const { now, law } = this.#options;
    for (const [uid, changes] of this.#changes)
      for (const [version, { state, at, taken }] of changes) {
        const waitMs = Math.min(Math.max(clearSince - at, 0), WAIT_MAX_MS) + TRIED_MS;
        const isLate = taken === 0 && now() > plusMs(at > clearSince ? at : clearSince, waitMs);
        law.of(uid)(
          isLate,
          'G18',
          () => `${state} of version ${version} is not announced ${now() - at} ms after its commit`,
        );
      }
  }

  /** When all Jobs are over: everybody has heard everything; where nothing goes wrong, once. */
  checkEnd(isCalm: boolean): void {
    for (const [uid, changes] of this.#changes)
      for (const [version, { state, heard, taken }] of changes) {
        const forbid = this.#options.law.of(uid);
        forbid(taken === 0, 'G18', () => `${state} of version ${version} was never announced`);
        forbid(
          isCalm && heard > 1,
          'G18',
          () => `${state} of version ${version} is announced ${heard} times in calm weather`,
        );
      }
  }
}

/** A Job that is held for others has not begun, and nobody has suspended it. */
const wordOf = (phase: Phase): Phase['kind'] | 'held' =>
  phase.kind === 'suspended' && phase.held === true ? 'held' : phase.kind;

/** What others must hear of one commit; of two changes the later. */
function changeBetween(before: Status | null, { phase, startTime }: Status): JobState | null {
  const was = before === null ? 'absent' : wordOf(before.phase);
  switch (phase.kind) {
    case 'purging':
    case 'deleted':
      return was === 'purging' || was === 'deleted' || was === 'absent' ? null : 'Deleted';
    case 'finished':
      if (was === 'finished') return null;
      return phase.verdict.kind === 'complete' ? 'Completed' : 'Failed';
    case 'suspended':
      return was === 'suspended' || wordOf(phase) === 'held' ? null : 'Suspended';
    case 'running':
    case 'regrouping':
      if (was === 'suspended') return 'Resumed';
      return startTime !== null && before?.startTime === null ? 'Started' : null;
    case 'draining':
    case 'terminating':
      return startTime !== null && before?.startTime === null ? 'Started' : null;
  }
}
