/** Where a value of a Secret must never be, nor anything from which it can be read. */
export const PLACES = [
  'the table',
  'logs',
  'audit lines',
  'Events',
  'messages',
  'announcements',
  'task definitions',
  'error texts',
  'describe',
  'commands',
  'crash dumps',
] as const;

export type Place = (typeof PLACES)[number];
