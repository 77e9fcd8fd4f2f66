export { openListeners } from './listeners.ts';
