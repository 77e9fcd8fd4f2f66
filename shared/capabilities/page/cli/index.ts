export { addUi } from './ui-command.ts';
