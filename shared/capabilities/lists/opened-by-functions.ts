import type { OpenOfFunction } from '../../runtime/opened-ports.ts';
import { openAnnouncer } from '../announcements/adapters/index.ts';
import { openSecretCopies } from '../configs/adapters/index.ts';
import { openTaskAnswers } from '../announcements/answers/index.ts';
import { openSealer } from '../configs/adapters/index.ts';

/** What `reconcile` opens, and no other function. */
export const OPENED_BY_RECONCILE: readonly OpenOfFunction[] = [openAnnouncer];

/** The same of the API. */
export const OPENED_BY_API: readonly OpenOfFunction[] = [openSealer];

/** The same of `dispatch`. */
export const OPENED_BY_DISPATCH: readonly OpenOfFunction[] = [openSealer];

/** The same of `submit`. */
export const OPENED_BY_SUBMIT: readonly OpenOfFunction[] = [openTaskAnswers];

/** The same of `dispatch`, which puts copies of Secrets where tasks read them, and of `sweep`, which removes them. */
export const OPENED_BY_DISPATCH: readonly OpenOfFunction[] = [openSecretCopies];
export const OPENED_BY_SWEEP: readonly OpenOfFunction[] = [openSecretCopies];
