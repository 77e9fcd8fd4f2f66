import type { LaunchNeed } from '../../../control/process/launch-need.ts';
import { hasNames } from '../../../domain/task/host-names.ts';
import { prepareHosts } from './hosts-prepare.ts';

/** A name must exist before its task starts. */
export const TASK_NAMES: LaunchNeed = {
  name: 'names of tasks',
  offer: ({ ports, settings }) => ({ hosts: ports.hostnames === undefined ? null : { max: settings.hosts.max } }),
  pace: ({ ports, settings }) => ({
    namesPerSec: ports.hostnames === undefined ? null : settings.hosts.servicesPerSec,
  }),
  told: (manifest, { ports: { hostnames } }) =>
    hostnames !== undefined && hasNames(manifest) ? { zone: hostnames.zone } : {},
  prepare: prepareHosts,
};
