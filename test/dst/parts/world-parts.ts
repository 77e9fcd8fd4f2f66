import { createListenerPart } from '../../../shared/capabilities/announcements/test/dst/listener-part.ts';
import { createNamesPart } from '../../../shared/capabilities/hostnames/test/dst/names-part.ts';
import type { Around, WorldPart } from './world-part.ts';

/** What capabilities have in every world. */
export const WORLD_PARTS: readonly ((around: Around) => WorldPart)[] = [createNamesPart, createListenerPart];
