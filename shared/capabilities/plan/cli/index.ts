export { addPlan } from './plan-command.ts';
