import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ourMetric, tableMetric } from './metrics.ts';
import type { Alarms } from './constructs/alarms.ts';

/** Above this part of the account's concurrency there is little time left to have it raised. */
const USED_PERCENT = 80;

/** Usually it is a few seconds; a look-up comes after five minutes or more. */
const COUNTED_LATE_SEC = 120;

/** Alarms that the idle budget has no room for: $0.60 a month. */
export function alarmOnWhatUsersFeel(
  alarms: Alarms,
  { api, table }: { readonly api: RestApi; readonly table: Pick<ITableV2, 'tableName'> },
): void {
  const period = Duration.minutes(5);
  alarms.on('ApiFailures', {
    metric: api.metricServerError({ period, statistic: Stats.SUM }),
    above: 0,
    silence: 'fine',
    meaning: 'The API answered with a status of 500 or more.',
  });
  alarms.on('TableThrottles', {
    metric: tableMetric(table.tableName, 'WriteThrottleEvents', period),
    above: 0,
    periods: 3, // a Job that starts doubles a partition's traffic, and DynamoDB follows within minutes
    silence: 'fine',
    meaning: 'DynamoDB has refused writes to the table for a quarter of an hour.',
  });
  alarms.on('FindingsError', {
    metric: ourMetric('FindingsError', period),
    above: 0,
    periods: 3, // what a check could not read, the next one reads, and after an outage passes need some minutes
    silence: 'fine',
    meaning: 'The doctor has called something an error for a quarter of an hour: a repair that was due has not come.',
  });
  alarms.on('CountedLate', {
    metric: ourMetric('StoppedToCounted', period).with({ statistic: Stats.p(99) }),
    above: COUNTED_LATE_SEC,
    periods: 3,
    silence: 'fine',
    meaning: `For a quarter of an hour, one of a hundred tasks that ended was counted more than ${COUNTED_LATE_SEC} s later.`,
  });
  alarms.on('EventsMissing', {
    metric: ourMetric('EndsFoundByLookUp', period),
    above: 0,
    silence: 'fine',
    meaning: 'A task had ended minutes ago, and no event said so: a look-up has found it.',
  });
  alarms.on('Concurrency', {
    metric: new MathExpression({
      expression: '100 * used / SERVICE_QUOTA(used)',
      label: "Percent of the account's concurrent executions",
      period,
      usingMetrics: {
        used: new Metric({
          namespace: 'AWS/Usage',
          metricName: 'ResourceCount',
          dimensionsMap: { Type: 'Resource', Resource: 'ConcurrentExecutions', Service: 'Lambda', Class: 'None' },
          period,
          statistic: Stats.MAXIMUM,
        }),
      },
    }),
    above: USED_PERCENT,
    silence: 'fine',
    meaning: `More than ${USED_PERCENT} % of the account's concurrent executions of Lambda are in use (L-B99A9384).`,
  });
}
