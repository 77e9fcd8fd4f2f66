export { accountUser } from './account-user.ts';
export { addTokenRoutes } from './token-routes.ts';
