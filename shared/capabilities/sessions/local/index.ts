export { openUpgrades } from './upgrades.ts';
