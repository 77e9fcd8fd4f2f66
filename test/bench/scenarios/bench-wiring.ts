import type { WiringKind } from '../../../local/wiring/wiring.ts';

/** The variable by which measuring processes know how to wire the runtime. */
export const BENCH_WIRING = 'MUSTER_BENCH_WIRING';

/** As AWS, unless the variable says otherwise: units and calls are counted at the SDK's clients. */
export const benchWiring = (): WiringKind => (process.env[BENCH_WIRING] === 'inProcess' ? 'inProcess' : 'emulateAws');
