import { ANNOUNCE_FAULTS } from '../../shared/capabilities/announcements/test/planted-announce-faults.ts';
import { BARE_POD_FAULTS } from './bare-pod-faults.ts';
import { CONFIG_FAULTS } from '../../shared/capabilities/furiko/test/planted-faults.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import { CRON_FAULTS } from '../../shared/capabilities/schedules/test/planted-cron-faults.ts';
import { EARLY_FAULTS } from './early-faults.ts';
import { SECRET_FAULTS } from '../../shared/capabilities/configs/test/planted-secret-faults.ts';
import { INDEX_FAULTS } from './index-faults.ts';
import { NAME_FAULTS } from '../../shared/capabilities/hostnames/test/planted-name-faults.ts';
import { GANG_FAULTS } from './gang-faults.ts';
import { LIST_FAULTS } from './list-faults.ts';
import { MACHINE_FAULTS } from './machine-faults.ts';
import { QUOTA_FAULTS } from '../../shared/capabilities/quotas/test/planted-quota-faults.ts';
import { RERUN_FAULTS } from './rerun-faults.ts';
import { RULE_FAULTS } from './rule-faults.ts';
import { SHOWN_FAULTS } from './shown-faults.ts';
import { STORAGE_FAULTS } from '../../shared/capabilities/storage/test/planted-storage-faults.ts';
import { STORE_FAULTS } from './store-faults.ts';
import { SUBMIT_FAULTS } from './submit-faults.ts';
import { UPSTREAM_FAULTS } from './upstream-faults.ts';
import { WORLD_FAULTS } from './world-faults.ts';
import { WORK_LIST_FAULTS } from '../../shared/capabilities/worklists/test/planted-work-list-faults.ts';
import type { PlantedFault } from './planted-fault.ts';

export const ALL_FAULTS: readonly PlantedFault[] = [
  ...ANNOUNCE_FAULTS,
  ...BARE_POD_FAULTS,
  ...CONFIG_FAULTS,
  ...CONTRACT_FAULTS,
  ...CRON_FAULTS,
  ...MACHINE_FAULTS,
  ...NAME_FAULTS,
  ...EARLY_FAULTS,
  ...INDEX_FAULTS,
  ...GANG_FAULTS,
  ...LIST_FAULTS,
  ...QUOTA_FAULTS,
  ...RERUN_FAULTS,
  ...RULE_FAULTS,
  ...SECRET_FAULTS,
  ...SHOWN_FAULTS,
  ...STORAGE_FAULTS,
  ...STORE_FAULTS,
  ...SUBMIT_FAULTS,
  ...UPSTREAM_FAULTS,
  ...WORK_LIST_FAULTS,
  ...WORLD_FAULTS,
];
