import { DecodeError } from '../base/bytes.ts';
import { type Codec, TEXT, TIME, codes, orNull, record } from '../base/stored-values.ts';
import type { Finished, Phase } from '../scoreboard/status.ts';
import { VERDICT } from './verdict-codec.ts';

type Kind = Phase['kind'];

const KINDS = codes<Kind | 'purgingEnded' | 'deletedEnded' | 'held'>({
  running: 0,
  suspended: 1,
  draining: 2,
  finished: 3,
  purging: 4,
  deleted: 5,
  terminating: 6,
  purgingEnded: 7,
  deletedEnded: 8,
  held: 9,
  regrouping: 10,
});

const FINISHED: Codec<Finished> = {
  write: (w, ended, now) => PHASE.write(w, ended, now),
  read(r, now) {
    const ended = PHASE.read(r, now);
    if (ended.kind !== 'finished') throw new DecodeError('a Job that goes after no end');
    return ended;
  },
};

/** What every phase of a kind has. */
type Always<P> = { [F in keyof P as F extends 'kind' ? never : object extends Pick<P, F> ? never : F]: P[F] };

/** What is stored of each kind, in this order. */
const FIELDS: { readonly [K in Kind]: Codec<Always<Extract<Phase, { kind: K }>>> } = {
  running: record({}),
  suspended: record({ since: TIME }),
  regrouping: record({ since: TIME, message: TEXT }),
  draining: record({ since: TIME, verdict: VERDICT }),
  finished: record({ since: TIME, at: TIME, verdict: VERDICT }),
  terminating: record({ since: TIME, ended: orNull(FINISHED) }),
  purging: record({ since: TIME }),
  deleted: record({ since: TIME, at: TIME }),
};

/** A phase. Being held, and how a deleted Job had ended, are kinds of their own. */
export const PHASE: Codec<Phase> = {
  write(w, phase, now) {
    if ((phase.kind === 'purging' || phase.kind === 'deleted') && phase.ended !== undefined) {
      const { ended, ...rest } = phase;
      KINDS.write(w, `${phase.kind}Ended`, null);
      PHASE.write(w, ended, now);
      PHASE.write(w, rest, now);
      return;
    }
    KINDS.write(w, phase.kind === 'suspended' && phase.held === true ? 'held' : phase.kind, null);
    (FIELDS[phase.kind] as Codec<Phase>).write(w, phase, now);
  },
  read(r, now) {
    const kind = KINDS.read(r, null);
    if (kind === 'running') return { kind };
    if (kind === 'held') return { kind: 'suspended', ...FIELDS.suspended.read(r, now), held: true };
    if (kind !== 'purgingEnded' && kind !== 'deletedEnded') return { kind, ...FIELDS[kind].read(r, now) } as Phase;
    const ended = FINISHED.read(r, now);
    const phase = PHASE.read(r, now);
    if (phase.kind !== 'purging' && phase.kind !== 'deleted') throw new DecodeError('an ended Job that is not deleted');
    return { ...phase, ended };
  },
};
