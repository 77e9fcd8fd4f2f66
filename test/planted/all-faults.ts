import { ANNOUNCE_FAULTS } from './announce-faults.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import { CRON_FAULTS } from './cron-faults.ts';
import { LIST_FAULTS } from './list-faults.ts';
import { MACHINE_FAULTS } from './machine-faults.ts';
import { RERUN_FAULTS } from './rerun-faults.ts';
import { SUBMIT_FAULTS } from './submit-faults.ts';
import { WORLD_FAULTS } from './world-faults.ts';
import type { PlantedFault } from './planted-fault.ts';

export const ALL_FAULTS: readonly PlantedFault[] = [
  ...ANNOUNCE_FAULTS,
  ...CONTRACT_FAULTS,
  ...CRON_FAULTS,
  ...MACHINE_FAULTS,
  ...LIST_FAULTS,
  ...RERUN_FAULTS,
  ...SUBMIT_FAULTS,
  ...WORLD_FAULTS,
];
