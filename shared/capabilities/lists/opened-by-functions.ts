import type { OpenOfFunction } from '../../runtime/opened-ports.ts';
import { openAnnouncer } from '../announcements/adapters/index.ts';
import { openTaskAnswers } from '../announcements/answers/index.ts';
import { openSealer, openSecretCopies } from '../configs/adapters/index.ts';
import { openRemoteSessions } from '../sessions/adapters/index.ts';

/** What `reconcile` opens, and no other function. */
export const OPENED_BY_RECONCILE: readonly OpenOfFunction[] = [openAnnouncer];

/** The same of the API. */
export const OPENED_BY_API: readonly OpenOfFunction[] = [openSealer, openRemoteSessions];

/** The same of `submit`. */
export const OPENED_BY_SUBMIT: readonly OpenOfFunction[] = [openTaskAnswers];

/** The same of `dispatch`, which opens Secrets, and puts copies of them where tasks read them. */
export const OPENED_BY_DISPATCH: readonly OpenOfFunction[] = [openSealer, openSecretCopies];

/** The same of `sweep`, which removes the copies of Secrets that are gone. */
export const OPENED_BY_SWEEP: readonly OpenOfFunction[] = [openSecretCopies];
