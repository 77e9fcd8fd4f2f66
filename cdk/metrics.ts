import type { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRIC_NAMESPACE, METRIC_SERVICE, type MetricName } from '../shared/names/metrics.ts';

/** The sum of one of our metrics, over a period. */
export const ourMetric = (metricName: MetricName, period: Duration): Metric =>
  new Metric({
    namespace: METRIC_NAMESPACE,
    metricName,
    dimensionsMap: { service: METRIC_SERVICE },
    period,
    statistic: Stats.SUM,
  });

/** The sum of one of DynamoDB's metrics of a table, which may be one that was given, over a period. */
export const tableMetric = (tableName: string, metricName: string, period: Duration): Metric =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: tableName },
    period,
    statistic: Stats.SUM,
  });
