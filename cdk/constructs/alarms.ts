import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

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
 * docs/deploy.md adds up the cost, and a test checks the number.
 */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // With SNS's own policy: a policy of ours would have to allow CloudWatch again.
    this.topic = new Topic(this, 'Topic', { displayName: 'Muster' });
  }

  /** Adds an alarm that notifies the topic. */
  on(id: string, { metric, above, periods = 1, silence, meaning }: Condition): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: silence === 'bad' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      alarmDescription: meaning,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
  }
}
