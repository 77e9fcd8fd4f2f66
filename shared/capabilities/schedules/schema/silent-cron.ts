import type { SilenceRow } from '../../../domain/schedulers/silence.ts';
import { slotsOf } from '../domain/slots.ts';
import { storedCronJob } from './cron-document.ts';

/** A CronJob that is not suspended, and cannot fire. */
export const SILENT_CRON: SilenceRow = {
  kind: 'CronJob',
  whySilent(document, now) {
    const { spec } = storedCronJob(document).manifest;
    if (spec.suspend) return null;
    const slots = slotsOf(spec);
    if (slots.kind === 'none') return slots.reason;
    const reason = `its schedule ${JSON.stringify(spec.schedule)} names no moment of the next five years`;
    return slots.next(now) === null ? reason : null;
  },
};
