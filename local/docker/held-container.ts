import type { ContainerRun } from '../ecs/driver/driver.ts';

/** `away`: the engine went away before all was copied; `full`: our disk has no room for it now; `broken`: it cannot be copied. */
export type Copied = 'whole' | 'away' | 'full' | 'broken';

/** A container of a task that counts. */
export type Held = {
  readonly run: ContainerRun;
  /** null: not created yet, as far as is known */
  id: string | null;
  isRunning: boolean;
  stopSignal: string;
  sent: 'SIGTERM' | 'SIGKILL' | null;
  /** somebody else has sent it a signal */
  isKilled: boolean;
  /** its end is being looked at */
  isEnding: boolean;
  log: { readonly done: Promise<Copied>; readonly stop: () => void } | null;
};
