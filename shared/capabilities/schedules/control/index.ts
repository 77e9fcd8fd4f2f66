export { createObjectTemplates } from './templates-for-objects.ts';
export { reconcileCron } from './reconcile-cron.ts';
