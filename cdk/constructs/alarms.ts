import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

export type Condition = {
  readonly metric: IMetric;
  /** The alarm goes off above this. */
  readonly above: number;
  /** Periods in a row. */
  readonly periods?: number;
  /** What no data means: all is well (a quiet queue), or something does not run at all. */
  readonly silence: 'fine' | 'bad';
  /** For whoever is woken by it: what it means, and what to look at. */
  readonly meaning: string;
};

/**
 * Every alarm of the stack, on one topic to which operators subscribe. An alarm costs $0.10 a month while nothing
 * happens: docs/deploy.md counts them, and a test counts them again.
 */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // With SNS's own policy: a policy of ours would have to let CloudWatch in again.
    this.topic = new Topic(this, 'Topic', { displayName: 'Muster' });
  }

  /** Adds an alarm that tells the topic. */
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
