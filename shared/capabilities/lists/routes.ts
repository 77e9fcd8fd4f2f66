import type { MusterRoutes } from '../../runtime/registered.ts';
import { doctorRoutes } from '../doctor/kube/index.ts';
import { pageRoutes } from '../page/kube/index.ts';

/** What capabilities serve under /muster/v1. A build without one lacks its folder and its lines here. */
export const CAPABILITY_ROUTES: readonly MusterRoutes[] = [doctorRoutes, pageRoutes];
