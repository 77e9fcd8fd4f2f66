export { createConfigReader } from './config-reader.ts';
