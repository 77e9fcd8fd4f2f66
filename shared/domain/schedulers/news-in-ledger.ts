import { LEDGER_FIELD } from '../manifests/ledger-field.ts';
import type { CronEvent } from './scheduler-event.ts';

/** What has happened to an object that keeps its news itself, oldest first. */
export const newsIn = (document: Readonly<Record<string, unknown>>): readonly CronEvent[] =>
  (document[LEDGER_FIELD] as { readonly news?: readonly CronEvent[] } | undefined)?.news ?? [];
