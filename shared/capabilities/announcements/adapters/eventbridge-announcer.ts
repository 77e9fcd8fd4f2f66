import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { type Announcement, EVENT_SOURCE, EVENT_TYPE } from '../domain/announcement.ts';
import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import type { Announcer } from '../ports/announcer.ts';
import { type Connection, clientConfig } from '../../../adapters/aws/connection.ts';

declare module '../../../runtime/sdk-client.ts' {
  interface CapabilityClients {
    readonly eventBridge: EventBridgeClient;
  }
}

/** A pass waits for the answer, so it must not take long. What is not taken comes again. */
const PATIENCE = { maxAttempts: 2, requestTimeoutMs: 2_000, maxSockets: 16 };
/** PutEvents takes ten entries and 256 KB in one call (aws.md 3.5). */
const ENTRIES_MAX = 10;
const BYTES_MAX = 256 * 1024;
/** What EventBridge counts for an entry's time. */
const TIME_BYTES = 14;
/** After a call that has failed; the Jobs of a whole batch must not wait for one time-out each. */
const REST_MS = 10_000;

export const createEventBridgeClient = (connection: Connection): EventBridgeClient =>
  new EventBridgeClient(clientConfig(connection, PATIENCE));

/**
 * {@link Announcer} of an event bus. Each entry is taken or not by itself.
 *
 * @param bus its name or ARN
 */
export function createEventBridgeAnnouncer({
  client,
  bus,
  now,
  warn,
}: {
  readonly client: EventBridgeClient;
  readonly bus: string;
  readonly now: () => EpochMs;
  readonly warn: (message: string, values: Readonly<Record<string, unknown>>) => void;
}): Announcer {
  let restsUntil: EpochMs | null = null;
  return {
    async announce(changes) {
      const taken = new Set<string>();
      for (const batch of batches(changes.map((change) => ({ id: change.id, entry: entryOf(change, bus) })))) {
        if (restsUntil !== null && now() < restsUntil) break;
        try {
          const answer = await client.send(new PutEventsCommand({ Entries: batch.map(({ entry }) => entry) }));
          for (const [nth, { id }] of batch.entries()) {
            const { EventId, ErrorCode, ErrorMessage } = answer.Entries?.[nth] ?? {};
            if (EventId !== undefined && ErrorCode === undefined) taken.add(id);
            else warn('the event bus does not take a change', { change: id, ErrorCode, ErrorMessage });
          }
        } catch (error) {
          restsUntil = plusMs(now(), REST_MS);
          throw error;
        }
      }
      return taken;
    },
  };
}

const entryOf = ({ detail }: Announcement, bus: string): PutEventsRequestEntry => ({
  EventBusName: bus,
  Source: EVENT_SOURCE,
  DetailType: EVENT_TYPE,
  Time: new Date(detail.time),
  Detail: JSON.stringify(detail),
});

type Entry = { readonly id: string; readonly entry: PutEventsRequestEntry };

/** As few calls as they fit into, in order. */
function batches(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const made: Entry[][] = [];
  let bytes = 0;
  for (const each of entries) {
    const own = bytesOf(each.entry);
    const last = made.at(-1);
    if (last === undefined || last.length === ENTRIES_MAX || bytes + own > BYTES_MAX) {
      made.push([each]);
      bytes = own;
    } else {
      last.push(each);
      bytes += own;
    }
  }
  return made;
}

const bytesOf = ({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number =>
  TIME_BYTES + Buffer.byteLength(Source + DetailType + Detail);
