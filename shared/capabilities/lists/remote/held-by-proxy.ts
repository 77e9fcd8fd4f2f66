import type { OpenProxied } from '../../../../local/local-part.ts';
import { openProxied } from '../../sessions/local/index.ts';

/** What holds connections for an API somewhere else that cannot, in `muster proxy`. */
export const PROXIED: readonly OpenProxied[] = [openProxied];
