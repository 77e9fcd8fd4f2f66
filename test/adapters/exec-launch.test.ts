import { expect, test } from 'vitest';
import { formatPlacement, runTaskInput } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { registerInput, stillFits } from '../../shared/adapters/aws/ecs/task-definition-request.ts';
import { definition, definitions, launch, placement } from './ecs-under-test.ts';

const input = (exec: boolean) => registerInput(definition, { ...definitions, exec }, null);

test('a task is launched for commands only where the installation has them, as its template says', () => {
  expect(runTaskInput(launch)).not.toHaveProperty('enableExecuteCommand');
  const template = { ...launch.template, placement: formatPlacement({ ...placement, exec: true }) };
  expect(runTaskInput({ ...launch, template })).toMatchObject({ enableExecuteCommand: true });
});

test('what commands leave behind is reaped in every container, and in none without them', () => {
  expect(input(true).containerDefinitions?.map(({ linuxParameters }) => linuxParameters?.initProcessEnabled)).toEqual(
    definition.containers.map(() => true),
  );
  expect(JSON.stringify(input(false))).not.toContain('initProcessEnabled');
});

test('a definition is registered again when the setting has changed', () => {
  const registered = { ...input(false), status: 'ACTIVE' as const };
  expect(stillFits(registered, input(false))).toBe(true);
  expect(stillFits(registered, input(true))).toBe(false);
});
