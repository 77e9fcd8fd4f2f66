export { createObjectTemplates } from './object-templates.ts';
export { reconcileCron } from './reconcile-cron.ts';
