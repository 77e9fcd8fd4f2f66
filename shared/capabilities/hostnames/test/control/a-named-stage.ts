import { createMemoryHostnames } from '../memory-hostnames.ts';
import { sweepHosts } from '../../control/hosts-sweep.ts';
import { type JobUid, taskIdOf } from '../../../../domain/base/ids.ts';
import type { DispatchMessage } from '../../../../ports/queues.ts';
import type { Handler } from '../../../../../test/support/a-handler.ts';
import { Stage } from '../../../../../test/support/a-stage.ts';

export const NAMED = { name: 'train', subdomain: 'workers', completions: 3, parallelism: 3 };
export const nameOf = (index: number, name = 'train'): string => `${name}-${index}.workers.default`;

/** A stage with a Cloud Map of its own. */
export class NamedStage extends Stage {
  /** Why Cloud Map refuses requests; null: it does not. */
  trouble: ((call: string) => string | null) | null = null;
  readonly dns = createMemoryHostnames({
    zone: 'muster.internal',
    trouble: (call) => this.trouble?.(call) ?? null,
  });
  override ports: Stage['ports'] = { hostnames: this.dns };
  /** Does the work that the test gives to no other handler. */
  readonly worker: Handler = this.handler();

  /** Continues for `seconds`, with all messages of that time and the sweep of each minute. */
  async go(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.advance(1_000);
      if (Math.floor(this.time / 1_000) % 60 === 0) {
        await this.sweep(this.worker);
        await sweepHosts(this.worker.deps);
      }
      await this.settle(this.worker);
    }
  }

  /** Launches what is to run, and returns the messages that say that it runs, which nobody has handled. */
  async begin(): Promise<readonly DispatchMessage[]> {
    await this.settle(this.worker);
    this.advance(1_000);
    await this.worker.pass(...this.takeRequests());
    return this.takeDispatches();
  }

  /** DNS's answer for each index, which must be the addresses of running tasks only. */
  shown(uid: JobUid, count = 3, name = 'train'): readonly string[] {
    return Array.from({ length: count }, (_, index) => {
      const found = this.dns.lookUp(nameOf(index, name));
      const live = new Map(this.started(uid, index).map((task) => [taskIdOf(task.arn), task]));
      return [...found]
        .map(([id, ip]) => {
          const task = live.get(id);
          if (task === undefined) return 'an orphan';
          return task.privateIp === ip
            ? `attempt ${task.id.attempt}${task.stage === 'running' ? '' : ` ${task.stage}`}`
            : 'another address';
        })
        .sort()
        .join(', ');
    });
  }

  /** What there still is: names, their rows, and the room that is reserved for them. */
  async leftovers(uid: JobUid): Promise<readonly unknown[]> {
    const { hosts } = this.store;
    return [...this.dns.names(), ...(await hosts.listHosts(uid)), ...(await hosts.reservations())];
  }
}
