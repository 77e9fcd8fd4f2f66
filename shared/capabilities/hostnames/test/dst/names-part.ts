import type { Around, WorldPart } from '../../../../../test/dst/parts/world-part.ts';
import { sweepHosts } from '../../control/hosts-sweep.ts';
import { createMemoryHostnames } from '../memory-hostnames.ts';
import { NamesWatch, byTaskId } from './names-watch.ts';

/** A Cloud Map in every world, and who watches it. */
export function createNamesPart({ now, store, tasks, law, watchdog, sights, tell }: Around): WorldPart {
  const names = new NamesWatch({
    now,
    hostnames: createMemoryHostnames({ zone: 'muster.internal' }),
    written: store.hosts,
    law,
    tell,
    taskOf: byTaskId(tasks),
    shadowOf: (uid, index) => watchdog.shadowOf(uid, index),
    gangOf: (uid) => watchdog.gangOf(uid),
    sights,
  });
  return {
    ports: () => ({ hostnames: names.hostnames() }),
    watchHosts: (hosts) => names.watchHosts(hosts),
    everyMinute: [sweepHosts],
    stray: {
      what: 'a service that no Job needs',
      leave: () => void names.hostnames().ensureService('gone-0.workers.default'),
    },
    checkSettled: () => names.checkSettled(),
    left: () => {
      const { services, records, reservations } = names.left();
      return services + records + reservations === 0
        ? null
        : `${records} records, ${services} services and ${reservations} reservations`;
    },
  };
}
