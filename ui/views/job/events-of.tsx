import type { JSX } from 'preact';
import { useAnswer, useNow, useSeen } from '../../api/hooks.ts';
import { LISTS } from '../../api/paths.ts';
import type { KubeEvent } from '../../model/objects.ts';
import { visible } from '../../model/stream-lines.ts';
import { momentWords, msOf } from '../../model/time-words.ts';
import { Fault } from '../../parts/states.tsx';
import { Section } from '../../parts/windowed.tsx';

const EVERY_MS = 4_000;
const SHOWN_MAX = 40;

type EventsProps = {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly version: string;
};

/** What has happened to an object, the newest first. */
export function EventsOf({ namespace, kind, name, version }: EventsProps): JSX.Element {
  const [ref, isSeen] = useSeen<HTMLElement>();
  const words = new URLSearchParams({
    fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}`,
    limit: '200',
  });
  const { value, error } = useAnswer<{ readonly items: readonly KubeEvent[] }>(
    isSeen ? `${LISTS.events(namespace)}?${words}` : null,
    version,
    EVERY_MS,
  );
  const now = useNow(30_000);
  const lastMs = ({ lastTimestamp, metadata }: KubeEvent): number =>
    msOf(lastTimestamp) ?? msOf(metadata.creationTimestamp) ?? 0;
  const events = (value?.items ?? []).toSorted((a, b) => lastMs(b) - lastMs(a));
  return (
    <Section
      title="Events"
      seen={ref}
      aside={events.length > SHOWN_MAX ? <span class="muted">the newest {SHOWN_MAX}</span> : undefined}
    >
      {error === null ? null : <Fault title="The events cannot be read." why={error.why} />}
      {value !== null && events.length === 0 ? <p class="muted">Nothing has happened yet.</p> : null}
      {events.length === 0 ? null : (
        <table class="events">
          <tbody>
            {events.slice(0, SHOWN_MAX).map((event) => (
              <tr key={event.metadata.name}>
                <td class="number muted">{momentWords(lastMs(event), now)}</td>
                <td class={event.type === 'Warning' ? 'bad' : undefined}>{event.reason}</td>
                <td>
                  {visible(event.message ?? '')}
                  {(event.count ?? 1) > 1 ? <span class="muted"> × {event.count}</span> : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
