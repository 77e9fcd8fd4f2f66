import type {
  OpenKeptPorts,
  OpenLocalPart,
  OpenPage,
  OpenTaskTokens,
  OpenUpgrades,
} from '../../../local/local-part.ts';
import type { EmbeddedPorts, EmbeddedSecrets, EmbeddedServices } from '../../runtime/opened-ports.ts';
import type { CapabilityPorts } from '../../ports/capability-ports.ts';
import type { ApiOptions, ReadTokenUser } from '../../kube/http/api-deps.ts';
import type { ReadUsage } from '../../ports/gathered/read-usage.ts';
import type { Clock } from '../../ports/clock.ts';
import { makeEach } from '../../control/process/make-each.ts';
import { embedSecretCopies } from '../configs/embedded/index.ts';
import { openFolderSealer } from '../configs/local/index.ts';
import { accountUser } from '../account-tokens/kube/index.ts';
import { openAccountTokens, openTaskTokens } from '../account-tokens/local/index.ts';
import { openListeners } from '../announcements/local/index.ts';
import { embedCloudmap } from '../hostnames/embedded/index.ts';
import { podMetricRoutes } from '../metrics/kube/index.ts';
import { openPage } from '../page/local/index.ts';
import { addSessionRoutes } from '../sessions/kube/index.ts';
import { openUpgrades } from '../sessions/local/index.ts';
import { openVolumeFolders } from '../storage/local/index.ts';

const EMBEDDED_PORTS: EmbeddedPorts = {
  hostnames: embedCloudmap,
};

/** Makes the ports of capabilities of services that run in this process. */
export const embedPorts = (services: EmbeddedServices, sleep: Clock['sleep']): Partial<CapabilityPorts> =>
  makeEach(EMBEDDED_PORTS, services, sleep);

const TASK_PORTS: { readonly [K in keyof CapabilityPorts]?: (secrets: EmbeddedSecrets) => CapabilityPorts[K] } = {
  secretCopies: embedSecretCopies,
};

/** Makes the ports of capabilities of what the ECS of this process reads, however functions reach the services. */
export const taskPorts = (secrets: EmbeddedSecrets): Partial<CapabilityPorts> => makeEach(TASK_PORTS, secrets);

/** What `muster local` has of capabilities where its flags ask for it. */
export const LOCAL_PARTS: readonly OpenLocalPart[] = [openListeners];

/** What it has of them in its data folder. */
export const KEPT_PORTS: readonly OpenKeptPorts[] = [openFolderSealer, openVolumeFolders, openAccountTokens];

/** What takes requests that want another protocol, and the routes that say what becomes of them. */
export const UPGRADES: readonly OpenUpgrades[] = [openUpgrades];
export const SESSION_ROUTES: NonNullable<ApiOptions['sessionRoutes']> = [addSessionRoutes];

/** Who else signs in with a token where users do. */
export const TOKEN_READERS: readonly ReadTokenUser[] = [accountUser];

/** What signs tokens for tasks, and lets containers call the API. */
export const TASK_TOKENS: readonly OpenTaskTokens[] = [openTaskTokens];

/** What says how much Pods use, given what measures it. */
export const METRIC_ROUTES: readonly ((read: ReadUsage) => NonNullable<ApiOptions['metricRoutes']>[number])[] = [
  podMetricRoutes,
];

/** What browsers get beside the API. */
export const PAGES: readonly OpenPage[] = [openPage];
