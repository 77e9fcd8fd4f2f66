import type { OpenOfFunction } from '../../../runtime/opened-ports.ts';
import { awsSessions, createSessionClients } from './aws-sessions.ts';

/** ECS Exec, for the API. Without the setting there are no sessions, and no client for them. */
export const openRemoteSessions: OpenOfFunction = ({ sessions }, { at, onClient }) => {
  if (sessions === undefined) return { ports: {}, close: () => undefined };
  const clients = createSessionClients(at(sessions.endpoint));
  for (const client of [clients.ecs, clients.ssm]) onClient?.(client);
  return {
    ports: { remoteSessions: awsSessions(clients, sessions.cluster) },
    close() {
      clients.ecs.destroy();
      clients.ssm.destroy();
    },
  };
};
