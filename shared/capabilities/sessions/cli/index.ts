export { addExec } from './exec-command.ts';
