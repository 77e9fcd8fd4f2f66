import type { HostService, Hostnames } from '../ports/hostnames.ts';

export type MemoryHostnamesOptions = {
  readonly zone: string;
  /** Called before each request: a reason why it answers `later` and does nothing; null: it is carried out. */
  readonly trouble?: (call: Exclude<keyof Hostnames, 'zone'>) => string | null;
};

/** What {@link createMemoryHostnames} returns: the port, and what DNS would answer. */
export type MemoryHostnames = Hostnames & {
  /** Addresses of a name below the zone, by task. */
  lookUp(name: string): ReadonlyMap<string, string>;
  /** Names of all services. */
  names(): readonly string[];
};

/** {@link Hostnames} in this process's memory: every call takes its whole effect in one step, and is over when it answers. */
export function createMemoryHostnames({ zone, trouble = () => null }: MemoryHostnamesOptions): MemoryHostnames {
  const services = new Map<string, HostService & { readonly instances: Map<string, string> }>();
  let made = 0;
  const named = (name: string) => [...services.values()].find((service) => service.name === name);
  const troubled = (call: Parameters<typeof trouble>[0]) => {
    const reason = trouble(call);
    return reason === null ? null : ({ kind: 'later', reason } as const);
  };

  return {
    zone,

    async ensureService(name) {
      const later = troubled('ensureService');
      if (later !== null) return later;
      const known = named(name);
      if (known !== undefined) return { kind: 'ready', serviceId: known.serviceId };
      const serviceId = `srv-${String(++made).padStart(16, '0')}`;
      services.set(serviceId, { serviceId, name, instances: new Map() });
      return { kind: 'ready', serviceId };
    },

    async register(serviceId, taskId, ip) {
      const later = troubled('register');
      if (later !== null) return later;
      const service = services.get(serviceId);
      if (service === undefined) return { kind: 'gone' };
      service.instances.set(taskId, ip);
      return { kind: 'done' };
    },

    async deregister(serviceId, taskId) {
      const later = troubled('deregister');
      if (later !== null) return later;
      services.get(serviceId)?.instances.delete(taskId);
      return { kind: 'done' };
    },

    async deleteService(serviceId) {
      const later = troubled('deleteService');
      if (later !== null) return later;
      if ((services.get(serviceId)?.instances.size ?? 0) > 0)
        return { kind: 'later', reason: 'Service contains registered instances' };
      services.delete(serviceId);
      return { kind: 'done' };
    },

    async list(after) {
      const later = troubled('list');
      if (later !== null) return later;
      const all = [...services.values()].filter(({ serviceId }) => after === null || serviceId > after);
      const page = all.slice(0, PAGE).map(({ serviceId, name }) => ({ serviceId, name }));
      return { kind: 'listed', services: page, next: all.length > PAGE ? (page.at(-1)?.serviceId ?? null) : null };
    },

    async tasksIn(serviceId) {
      const later = troubled('tasksIn');
      if (later !== null) return later;
      return { kind: 'listed', taskIds: [...(services.get(serviceId)?.instances.keys() ?? [])] };
    },

    lookUp: (name) => new Map(named(name)?.instances),
    names: () => [...services.values()].map(({ name }) => name),
  };
}

const PAGE = 100;
