import { Arn, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Settings } from './settings.ts';

/**
 * What it takes to announce changes of Jobs, for the function that does. A task token says by itself which task it answers, so
 * IAM knows no resource of the two actions (Service Authorization Reference, AWS Step Functions).
 */
export function grantAnnouncing(
  role: IRole,
  { eventBus, taskTokens }: Pick<Settings, 'eventBus' | 'taskTokens'>,
): void {
  const allow = (actions: string[], resources: string[], conditions = {}) =>
    role.addToPrincipalPolicy(new PolicyStatement({ actions, resources, conditions }));
  if (eventBus !== null)
    allow(['events:PutEvents'], [busArn(eventBus, Stack.of(role))], {
      'ForAllValues:StringEquals': { 'events:source': 'muster' }, // a request has several entries, so the key is a list
    });
  if (taskTokens) allow(['states:SendTaskFailure', 'states:SendTaskSuccess'], ['*']);
}

/** What it takes to answer a task whose message makes no Job, for the function that takes submissions. */
export function grantTaskAnswers(role: IRole, { taskTokens }: Pick<Settings, 'taskTokens'>): void {
  if (taskTokens)
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['states:SendTaskFailure'], resources: ['*'] }));
}

const busArn = (bus: string, stack: Stack): string =>
  bus.startsWith('arn:') ? bus : Arn.format({ service: 'events', resource: 'event-bus', resourceName: bus }, stack);
