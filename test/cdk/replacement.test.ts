import { expect, test } from 'vitest';
import { FIXED, RELEASED } from './released.ts';
import { type Deployed, musterTemplate } from './template.ts';

/** What CloudFormation would replace or remove of the last release's, `<logical id>: <why>`. */
function replaced(template: Deployed): readonly string[] {
  return Object.entries(RELEASED).flatMap(([id, { type, fixed }]) => {
    const now = template.all(type).get(id);
    if (now === undefined) return [`${id}: there is no ${type} of this name any more`];
    return (FIXED[type] ?? [])
      .filter((property) => JSON.stringify(now.Properties?.[property]) !== JSON.stringify(fixed[property]))
      .map((property) => `${id}: ${property} was ${JSON.stringify(fixed[property])}`);
  });
}

test('an update replaces nothing that holds data, is addressed from outside, or is handed to tasks', () => {
  expect(replaced(musterTemplate({ hostnames: 'true', submissions: 'true' }))).toEqual([]);
});

test('table, queues, API, and logs are among what is pinned', () => {
  const kinds = Object.values(RELEASED).map(({ type }) => type);
  const count = (type: string) => kinds.filter((kind) => kind === type).length;
  expect(count('AWS::DynamoDB::GlobalTable')).toBe(1);
  expect(count('AWS::SQS::Queue')).toBe(8); // four, each with its dead-letter queue
  expect(count('AWS::ApiGateway::RestApi')).toBe(1);
  expect(Object.keys(RELEASED)).toEqual(expect.arrayContaining(['TasksLog0BCAFA31', 'TasksTaskRole7EF6BC85']));
});

test('another zone is another namespace, which is noticed', () => {
  const moved = musterTemplate({ hostnames: 'jobs.internal', submissions: 'true' });
  expect(replaced(moved)).toEqual([expect.stringMatching(/^Names\w+: Name was "muster.internal"$/)]);
  expect(replaced(musterTemplate({ submissions: 'true' }))).toEqual([expect.stringMatching(/^Names\w+: there is no/)]);
});
