import { announceToAll } from './announce-to-all.ts';
import { createEventBridgeAnnouncer, createEventBridgeClient } from './eventbridge-announcer.ts';
import { createSfnAnnouncer } from './sfn-announcer.ts';
import { createSfnClient } from './sfn-client.ts';
import { systemClock } from '../../../adapters/system-clock.ts';
import type { OpenOfFunction } from '../../../runtime/opened-ports.ts';

/** Opens what the installation announces to. Only the function that announces has it, and so its clients. */
export const openAnnouncer: OpenOfFunction = ({ announcements }, { at, onClient, telemetry }) => {
  const { eventBus, taskTokens, endpoint } = announcements;
  const connection = at(endpoint);
  const warn = telemetry.warn.bind(telemetry);
  const bus = eventBus === null ? null : { name: eventBus, client: createEventBridgeClient(connection) };
  const sfn = taskTokens ? createSfnClient(connection) : null;
  const clients = [...(bus === null ? [] : [bus.client]), ...(sfn === null ? [] : [sfn])];
  for (const client of clients) onClient?.(client);
  const announcers = [
    ...(bus === null
      ? []
      : [createEventBridgeAnnouncer({ client: bus.client, bus: bus.name, now: () => systemClock.now(), warn })]),
    ...(sfn === null ? [] : [createSfnAnnouncer({ client: sfn, warn })]),
  ];
  return {
    ports: announcers.length === 0 ? {} : { announcer: announceToAll(announcers) },
    close() {
      for (const client of clients) client.destroy();
    },
  };
};
