import { openAnnouncer } from '../../shared/capabilities/announcements/adapters/open-announcer.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { reconcileHandler } from '../../shared/runtime/queue-handlers.ts';

export const handler = reconcileHandler(() => processRuntime(openAnnouncer));
