import type { LogReader } from '../../shared/ports/log-reader.ts';

/** Where nothing has printed anything. */
export const NO_LOGS: LogReader = { read: async () => ({ kind: 'none' }), readBack: async () => ({ kind: 'none' }) };
