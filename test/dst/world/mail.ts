import type { CronRequest } from '../../../shared/control/schedulers/look-often.ts';
import type { ReconcileRequest } from '../../../shared/control/reconcile/reconcile.ts';
import { type EpochMs, asEpochMs, later, plusMs } from '../../../shared/domain/base/time.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { DispatchMessage, FactMessage, Queues } from '../../../shared/ports/queues.ts';
import { indexesOf, jobsOf, requestText, orderText, type Letter } from '../in-words.ts';
import { Mailbox } from './post-office.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { About } from '../story.ts';
import type { Fault } from './fault-rates.ts';

export type MailOptions = {
  readonly now: () => EpochMs;
  readonly injector: FaultInjector;
  /** Facts come in gusts this far apart, as they pile up before the reconcilers of a large Job; 0: each by itself. */
  readonly gustMs: number;
  readonly tell: (what: string, about: About, fault: Fault) => void;
  /** Messages about such a Job cannot be processed. */
  readonly isDamaged: (uid: JobUid) => boolean;
  /** A look has gone to the dead letters. */
  readonly unheard: (look: ReconcileRequest) => void;
};

/** Between the event and its second coming. */
const STALE_MIN_MS = 60_000;
const STALE_MAX_MS = 6 * 3_600_000;

/** The three queues, under the weather: messages and events come late, twice or never. */
export class Mail {
  readonly facts: Mailbox<ReconcileRequest>;
  readonly wakes: Mailbox<ReconcileRequest>;
  readonly crons: Mailbox<CronRequest>;
  readonly dispatches: Mailbox<DispatchMessage>;
  /** The last stale event is out then. */
  staleUntil: EpochMs = asEpochMs(0);
  /** Messages that nobody can process, and those of them that have reached the dead letters. */
  readonly poison = { received: 0, dead: 0 };
  readonly #options: MailOptions;

  constructor(options: MailOptions) {
    this.#options = options;
    this.facts = new Mailbox((look) => this.#givenUp(look));
    this.wakes = new Mailbox((look) => this.#givenUp(look));
    this.crons = new Mailbox((look) => this.#givenUp(look));
    this.dispatches = new Mailbox((message) => this.#givenUp(message));
  }

  queues(): Queues {
    return {
      wake: async (wakeUps) => {
        for (const { uid, delaySec, inspect } of wakeUps) {
          this.#post(this.wakes, [{ uid, facts: [], ...(inspect === true ? { inspect } : {}) }], delaySec);
        }
      },
      wakeCrons: async (wakeUps) => {
        for (const { cron, delaySec, jobs = [] } of wakeUps) this.#post(this.crons, [{ uid: cron, jobs }], delaySec);
      },
      facts: async (messages, delaySec) => this.#post(this.facts, messages, delaySec),
      dispatch: async (messages, delaySec) => this.#post(this.dispatches, messages, delaySec),
    };
  }

  /** What ECS tells comes through the rule; `lossy`: how likely it does not. */
  event(message: FactMessage, lossy: number): void {
    const { injector, now } = this.#options;
    const { eventDoubled, eventDelayMaxMs, eventStale } = injector.faultRates;
    if (injector.strikes('event stale', eventStale)) {
      const lateMs = injector.luck('event stale').between(STALE_MIN_MS, STALE_MAX_MS);
      this.staleUntil = later(this.staleUntil, plusMs(now(), lateMs));
      this.#put(this.facts, message, lateMs);
      this.#tell(message, `will hear once more, in ${Math.round(lateMs / 60_000)} minutes`, 'event stale');
    }
    if (injector.strikes('event dropped', lossy)) return this.#tell(message, 'never hears', 'event dropped');
    const doubled = injector.strikes('event doubled', eventDoubled);
    if (doubled) this.#tell(message, 'hears twice', 'event doubled');
    for (let copies = doubled ? 2 : 1; copies > 0; copies--)
      this.#put(this.facts, message, injector.delayMs('event late', eventDelayMaxMs));
  }

  /** When the next hidden message of each queue shows. */
  nextAt(): readonly (EpochMs | null)[] {
    return [this.facts, this.wakes, this.crons, this.dispatches].map((box) => box.nextAt());
  }

  #post<T extends Letter>(box: Mailbox<T>, bodies: readonly T[], delaySec: number): void {
    const { injector, isDamaged } = this.#options;
    const { messageDropped, messageDoubled, messageDelayMaxMs } = injector.faultRates;
    for (const body of bodies) {
      if (injector.strikes('message dropped', messageDropped)) {
        this.#tell(body, 'never gets', 'message dropped');
        continue;
      }
      const doubled = injector.strikes('message doubled', messageDoubled);
      if (doubled) this.#tell(body, 'gets twice', 'message doubled');
      for (let copies = doubled ? 2 : 1; copies > 0; copies--) {
        const lateMs = injector.delayMs('message late', messageDelayMaxMs);
        this.#put(box, body, delaySec * 1000 + lateMs);
        if (jobsOf(body)?.some(isDamaged) === true) injector.struck('poison message');
      }
    }
  }

  #put<T>(box: Mailbox<T>, body: T, delayMs: number): void {
    const { now, gustMs } = this.#options;
    const visibleAt = plusMs(now(), delayMs);
    const isGusty = gustMs > 0 && Object.is(box, this.facts);
    box.post(body, isGusty ? asEpochMs(Math.ceil(visibleAt / gustMs) * gustMs) : visibleAt);
  }

  #givenUp(body: Letter): void {
    const { injector, isDamaged } = this.#options;
    injector.struck('message given up');
    if (jobsOf(body)?.some(isDamaged) === true) this.poison.dead++;
    if ('facts' in body) this.#options.unheard(body);
    this.#tell(body, 'gives up, it goes to the dead letters', 'message given up');
  }

  /** `what` happens to a message to its handler. */
  #tell(body: Letter, what: string, fault: Fault): void {
    const isReconcileRequest = 'facts' in body;
    const indexes = isReconcileRequest ? body.facts.map(({ index }) => index) : indexesOf(body);
    const who = isReconcileRequest ? 'reconcile' : 'dispatch';
    const text = `${who} ${what}: ${isReconcileRequest ? requestText(body) : orderText(body)}`;
    this.#options.tell(text, { uids: jobsOf(body), indexes }, fault);
  }
}
