export { addSimulate } from './simulate-command.ts';
