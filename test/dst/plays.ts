import { SECRET_PLAY } from '../../shared/capabilities/configs/test/dst/secret-play.ts';
import { CONFIG_PLAY } from '../../shared/capabilities/furiko/test/dst/config-play.ts';
import { QUOTA_PLAY } from '../../shared/capabilities/quotas/test/dst/quota-play.ts';
import { STORAGE_PLAY } from '../../shared/capabilities/storage/test/dst/storage-play.ts';
import { BARE_POD_PLAY } from './bare-pods/bare-pod-play.ts';
import type { Play } from './play.ts';

/** The plays of the kernel, and of all capabilities. Without one, its seeds are storms like others. */
export const PLAYS: readonly Play[] = [BARE_POD_PLAY, CONFIG_PLAY, QUOTA_PLAY, SECRET_PLAY, STORAGE_PLAY];
