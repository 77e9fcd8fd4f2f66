import type { EventObject } from './event-object.ts';
import { ageOf } from '../list/ages.ts';
import { NAME, type Printer, text, wide } from '../list/printer.ts';

/** Events as rows (Kubernetes 1.34's printEvent). */
export const EVENT_PRINTER: Printer<EventObject> = {
  columns: [
    text('Last Seen', 'Time since it happened last.'),
    text('Type', 'Normal, or a Warning.'),
    text('Reason', 'The reason, in one word.'),
    text('Object', 'What it is about.'),
    wide('Subobject', 'Which part of that it is about.'),
    wide('Source', 'The component that reports it.'),
    text('Message', 'What happened.'),
    wide('First Seen', 'Time since it happened first.'),
    wide('Count', 'How often it happened.'),
    { ...NAME, priority: 1 },
  ],
  cells: (event, now) => [
    ageOf(event.lastTimestamp, now),
    event.type,
    event.reason,
    `${event.involvedObject.kind.toLowerCase()}/${event.involvedObject.name}`,
    event.involvedObject.fieldPath ?? '',
    event.source.component,
    event.message.trim(),
    ageOf(event.firstTimestamp, now),
    event.count,
    event.metadata.name,
  ],
};
