export { addSessionRoutes } from './session-routes.ts';
