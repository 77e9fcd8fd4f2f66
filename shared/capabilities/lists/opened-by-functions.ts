import type { OpenOfFunction } from '../../runtime/opened-ports.ts';
import { openAnnouncer } from '../announcements/adapters/index.ts';
import { openTaskAnswers } from '../announcements/answers/index.ts';

/** What `reconcile` opens, and no other function. */
export const OPENED_BY_RECONCILE: readonly OpenOfFunction[] = [openAnnouncer];

/** The same of `submit`. */
export const OPENED_BY_SUBMIT: readonly OpenOfFunction[] = [openTaskAnswers];
