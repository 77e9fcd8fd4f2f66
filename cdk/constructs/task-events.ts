import { Duration } from 'aws-cdk-lib';
import { Match, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import type { WorkQueue } from './work-queue.ts';

export type TaskEventsProps = {
  readonly clusterArn: string;
  readonly facts: WorkQueue;
  /** Also forwards the event before STOPPED, of tasks that have ended by themselves. */
  readonly early: boolean;
};

/**
 * Forwards ECS's events about our tasks to the facts queue. Of a task's half dozen events, only two statuses pass. A Spot
 * notice arrives as RUNNING with the desired status STOPPED, so it passes, too (ECS developer guide, task state change
 * events).
 */
export class TaskEvents extends Construct {
  readonly #props: TaskEventsProps;

  constructor(scope: Construct, id: string, props: TaskEventsProps) {
    super(scope, id);
    this.#props = props;
    this.#forward('Rule', 'RUNNING and STOPPED of Muster tasks', { lastStatus: ['RUNNING', 'STOPPED'] });
    if (!props.early) return;
    // What else has to be true before an end counts, such as the exit code of the right container, is in a list: a pattern
    // cannot say which of its elements is meant.
    this.#forward('Ended', 'DEPROVISIONING of Muster tasks that have ended by themselves', {
      lastStatus: ['DEPROVISIONING'],
      desiredStatus: ['STOPPED'],
      stopCode: ['EssentialContainerExited'],
    });
  }

  #forward(id: string, description: string, which: Readonly<Record<string, readonly string[]>>): void {
    const { clusterArn, facts } = this.#props;
    new Rule(this, id, {
      description,
      eventPattern: {
        source: ['aws.ecs'],
        detailType: ['ECS Task State Change'],
        detail: { clusterArn: [clusterArn], group: Match.prefix(GROUP_PREFIX), ...which },
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
