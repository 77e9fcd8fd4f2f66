export { openProxied } from './proxied.ts';
export { openUpgrades } from './upgrades.ts';
