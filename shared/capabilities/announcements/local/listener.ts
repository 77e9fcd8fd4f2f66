import type { Announcement } from '../domain/announcement.ts';

/** How one try to tell somebody went; `why`: a sentence's end for people, without secrets. */
export type Told = { readonly kind: 'taken' } | { readonly kind: 'refused'; readonly why: string };

/** Somebody on this machine, or behind an address, who hears of changes. */
export type Listener = {
  /** For people: `--on-event`. */
  readonly name: string;
  /** One try. Never throws; ends soon once `signal` is aborted. */
  tell(change: Announcement, signal: AbortSignal): Promise<Told>;
};
