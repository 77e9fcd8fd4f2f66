import type { OpenPage, OpenProxied } from '../../../../local/local-part.ts';
import { openPage } from '../../page/local/index.ts';
import { openProxied } from '../../sessions/local/index.ts';

/** What holds connections for an API somewhere else that cannot, in `muster proxy`. */
export const PROXIED: readonly OpenProxied[] = [openProxied];

/** What browsers get beside it. */
export const PROXIED_PAGES: readonly OpenPage[] = [openPage];
