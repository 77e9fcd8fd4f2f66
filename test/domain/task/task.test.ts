import { expect, test } from 'vitest';
import { familyOf } from '../../../shared/domain/task/task.ts';

test.each([
  ['arn:aws:ecs:eu-central-1:123456789012:task-definition/muster-0a1b:12', 'muster-0a1b'],
  ['arn:aws-cn:ecs:cn-north-1:123456789012:task-definition/muster-0a1b_c:1', 'muster-0a1b_c'],
  ['work:1', 'work'],
])('the family of %s is %s', (taskDefinition, family) => {
  expect(familyOf({ taskDefinition })).toBe(family);
});
