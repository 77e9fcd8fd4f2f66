import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Dashboard as CloudWatchDashboard, GraphWidget, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricName } from '../../shared/names/metrics.ts';
import { ourMetric, tableMetric } from '../metrics.ts';

export type DashboardProps = {
  readonly functions: Readonly<Record<string, IFunction>>;
  readonly queues: Readonly<Record<string, IQueue>>;
  readonly tableName: string;
  readonly api: RestApi;
};

const MINUTE = Duration.minutes(1);
const WIDTH = 12; // two in a row

/** What operators look at first, from what users feel down to what AWS refuses. $3 a month beyond an account's first three. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { functions, queues, tableName, api }: DashboardProps) {
    super(scope, id);
    const each = <T>(all: Readonly<Record<string, T>>, metricOf: (one: T, label: string) => IMetric): IMetric[] =>
      Object.entries(all).map(([name, one]) => metricOf(one, name));
    const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: WIDTH });
    const ours = (name: MetricName): IMetric => ourMetric(name, MINUTE);
    const ofTable = (name: string): IMetric => tableMetric(tableName, name, MINUTE);
    const sum = { period: MINUTE, statistic: Stats.SUM };
    new CloudWatchDashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(3),
      widgets: [
        [
          graph('Indexes that ended', (['IndexesSucceeded', 'AttemptsFailed', 'AttemptsLost'] as const).map(ours)),
          graph(
            'Launches',
            (['TasksLaunched', 'LaunchesThrottled', 'LaunchesRefused', 'LaunchesMisconfigured'] as const).map(ours),
          ),
        ],
        [
          graph(
            'Oldest message, seconds',
            each(queues, (queue, label) => queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, label })),
          ),
          graph('Repaired or given up', (['GhostsStopped', 'CommitsLost', 'DeadLetters'] as const).map(ours)),
        ],
        [
          graph('API: requests and failures', [
            api.metricCount({ ...sum, label: 'requests' }),
            api.metricClientError({ ...sum, label: '4xx' }),
            api.metricServerError({ ...sum, label: '5xx' }),
          ]),
          graph('API: milliseconds until the answer begins, p99', [
            api.metricLatency({ period: MINUTE, statistic: 'p99' }),
          ]),
        ],
        [
          graph(
            'Functions: errors',
            each(functions, (lambda, label) => lambda.metricErrors({ ...sum, label })),
          ),
          graph(
            'Functions: throttled',
            each(functions, (lambda, label) => lambda.metricThrottles({ ...sum, label })),
          ),
        ],
        [
          graph('Table: units', [ofTable('ConsumedWriteCapacityUnits'), ofTable('ConsumedReadCapacityUnits')]),
          graph('Table: throttled', [ofTable('WriteThrottleEvents'), ofTable('ReadThrottleEvents')]),
        ],
      ],
    });
  }
}
