export { addDoctor } from './doctor-command.ts';
