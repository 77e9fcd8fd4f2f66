export { openAnnouncer } from './open-announcer.ts';
