import { Duration } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import type { WorkQueue } from './work-queue.ts';

export type TaskEventsProps = {
  readonly clusterArn: string;
  readonly facts: WorkQueue;
};

/**
 * Forwards ECS's events about our tasks to the facts queue. Of a task's half dozen events, only two statuses pass. A Spot
 * notice arrives as RUNNING with the desired status STOPPED, so it passes, too (ECS developer guide, task state change
 * events).
 */
export class TaskEvents extends Construct {
  constructor(scope: Construct, id: string, { clusterArn, facts }: TaskEventsProps) {
    super(scope, id);
    new Rule(this, 'Rule', {
      description: 'RUNNING and STOPPED of Muster tasks',
      eventPattern: {
        source: ['aws.ecs'],
        detailType: ['ECS Task State Change'],
        detail: {
          clusterArn: [clusterArn],
          group: Match.prefix(GROUP_PREFIX),
          lastStatus: ['RUNNING', 'STOPPED'],
        },
      },
      targets: [
        new SqsQueue(facts.queue, {
          // An event that cannot be delivered goes to the same dead-letter queue as one that could not be processed: one
          // place to check, one alarm.
          deadLetterQueue: facts.dead,
          maxEventAge: Duration.hours(24),
          retryAttempts: 185, // EventBridge's maximum
        }),
      ],
    });
  }
}
