import { expect, test } from 'vitest';
import { familiesOf, familyOf, templateOf } from '../../../shared/domain/task/task.ts';

test.each([
  ['arn:aws:ecs:eu-central-1:123456789012:task-definition/muster-0a1b:12', 'muster-0a1b'],
  ['arn:aws-cn:ecs:cn-north-1:123456789012:task-definition/muster-0a1b_c:1', 'muster-0a1b_c'],
  ['work:1', 'work'],
])('the family of %s is %s', (taskDefinition, family) => {
  expect(familyOf({ taskDefinition })).toBe(family);
});

const TEMPLATE = {
  taskDefinition: 'arn:aws:ecs:r:a:task-definition/muster-0:1',
  containers: ['main'],
  placement: '{}',
  variants: [
    { image: 'a:1', taskDefinition: 'arn:aws:ecs:r:a:task-definition/muster-a:3' },
    { image: 'b:1', taskDefinition: 'arn:aws:ecs:r:a:task-definition/muster-b:1' },
  ],
};

test('a template has a family for each image', () => {
  expect(familiesOf(TEMPLATE)).toEqual(['muster-0', 'muster-a', 'muster-b']);
  expect(familiesOf({ taskDefinition: 'work:1', containers: [], placement: '' })).toEqual(['work']);
});

test('a call is made from the task definition of its image, and from nothing else that may change', () => {
  const { variants, ...rest } = TEMPLATE;
  expect(templateOf(TEMPLATE, null)).toEqual(rest);
  expect(templateOf(TEMPLATE, 'b:1')).toEqual({ ...rest, taskDefinition: variants[1]?.taskDefinition });
  expect(() => templateOf(TEMPLATE, 'c:1')).toThrow('a template has a variant for every image');
});
