export { createConfigReader } from './read-configs.ts';
