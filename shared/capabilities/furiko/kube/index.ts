export { addFurikoJobRoutes } from './furiko-job-routes.ts';
export { JOB_CONFIG_KIND } from './job-config-kind.ts';
