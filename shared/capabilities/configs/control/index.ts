export { CONFIG_SOURCE } from './config-source.ts';
export { sweepCopies } from './sweep-copies.ts';
