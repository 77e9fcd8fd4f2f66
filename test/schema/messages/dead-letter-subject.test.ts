import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GROUP_PREFIX } from '../../../shared/names/env.ts';
import { formatDispatch, formatFactMessage, formatWakeUp } from '../../../shared/schema/messages/queue-messages.ts';
import { subjectOf } from '../../../shared/schema/messages/dead-letter-subject.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';

const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');
const event = (name: string): string =>
  readFileSync(new URL(`../../fixtures/ecs-events/${name}.json`, import.meta.url), 'utf8');

test.each([
  ['a wake-up', formatWakeUp({ uid }), uid],
  ['facts', formatFactMessage({ uid, facts: [] }), uid],
  ['a pack', formatDispatch({ kind: 'pack', uid, launch: [], stop: [] }), uid],
  ['a message of a later release', `{"v":99,"uid":"${uid}","what":{}}`, uid],
  ['an event of ECS', event('running'), uid],
  ['a message that is cut off', `{"v":1,"uid":"${uid}","facts":[{"id"`, uid],
  ["somebody else's task", event('of-somebody-else'), null],
  ['an event of our group without a Job', '{"detail":{"group":"muster:0.1.0"}}', null],
  ['a uid that is a path', '{"v":1,"uid":"../../etc/passwd"}', null],
  ['a uid that is a number', '{"v":1,"uid":7}', null],
  ['no JSON', 'garbage', null],
  ['null', 'null', null],
  ['nothing', '', null],
])('%s', (_name, body, expected) => {
  expect(subjectOf(body, GROUP_PREFIX)).toBe(expected);
});
