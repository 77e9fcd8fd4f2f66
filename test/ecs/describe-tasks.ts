import { afterEach, describe, expect, test } from 'vitest';
import { CALL_CHECKS } from './call-checks.ts';
import { LIFE_CHECKS } from './life-checks.ts';
import type { Check } from './task-check.ts';
import type { MakeServer, TaskServer } from './task-server.ts';

/** The contract of tasks, check by check. */
export const TASK_CHECKS: readonly Check[] = [...CALL_CHECKS, ...LIFE_CHECKS];

/** The contract of tasks, for any implementation of ECS that `make` starts. */
export function describeTasks(name: string, make: MakeServer): void {
  describe(`tasks: ${name}`, () => {
    let server: TaskServer | undefined;
    afterEach(async () => {
      await server?.close();
      server = undefined;
    });
    test.each(TASK_CHECKS)('$name', async (check) => {
      server = await make(check.options);
      await check.run(server);
      expect.hasAssertions();
    });
  });
}
