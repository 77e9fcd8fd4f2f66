import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { AlarmSettings } from '../settings.ts';

export type Condition = {
  readonly metric: IMetric;
  /** The alarm goes off above this value. */
  readonly above: number;
  /** Consecutive periods. */
  readonly periods?: number;
  /** What missing data means: healthy (a quiet queue), or something that does not run at all. */
  readonly silence: 'fine' | 'bad';
  /** For the operator on call: what the alarm means, and what to check. */
  readonly meaning: string;
};

/**
 * Every alarm of the stack, on one topic that operators subscribe to. An alarm costs $0.10 a month even if nothing happens:
 * docs/deploy.md adds up the cost, and a test checks the number. docs/runbooks.md has a section for each, by its name.
 */
export class Alarms extends Construct {
  readonly topic: Topic;

  readonly #tellsEnd: boolean;

  constructor(scope: Construct, id: string, { email, tellsEnd }: AlarmSettings) {
    super(scope, id);
    this.#tellsEnd = tellsEnd;
    this.topic = new Topic(this, 'Topic', { displayName: 'Muster', enforceSSL: true });
    // A policy of ours replaces that of SNS, which lets CloudWatch publish.
    const { account, partition, region } = Stack.of(this);
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: { 'aws:SourceArn': `arn:${partition}:cloudwatch:${region}:${account}:alarm:*` },
        },
      }),
    );
    if (email !== null) this.topic.addSubscription(new EmailSubscription(email));
  }

  /** Adds an alarm that notifies the topic. */
  on(id: string, { metric, above, periods = 1, silence, meaning }: Condition): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: silence === 'bad' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: `${meaning} Runbook: docs/runbooks.md#${id.toLowerCase()}`,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    if (this.#tellsEnd) alarm.addOkAction(new SnsAction(this.topic));
  }
}
