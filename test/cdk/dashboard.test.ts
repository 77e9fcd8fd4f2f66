import { expect, test } from 'vitest';
import { musterTemplate } from './template.ts';

const shown = musterTemplate({ dashboard: 'true', submissions: 'true' });

/** The dashboard's body, with references as their logical ids. */
function body(): {
  readonly widgets: readonly { readonly properties: { readonly title: string; readonly metrics: unknown } }[];
} {
  const [dashboard] = shown.all('AWS::CloudWatch::Dashboard').values();
  const { 'Fn::Join': join } = dashboard!.Properties['DashboardBody'] as {
    readonly 'Fn::Join': readonly [string, readonly unknown[]];
  };
  const parts = join[1].map((part) => (typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', '')));
  return JSON.parse(parts.join('')) as ReturnType<typeof body>;
}

test('there is none unless it is asked for: the first three of an account are free', () => {
  expect(musterTemplate().count('AWS::CloudWatch::Dashboard')).toBe(0);
  expect(shown.count('AWS::CloudWatch::Dashboard')).toBe(1);
});

test('every graph has metrics, those of queues and functions each queue and function', () => {
  const { widgets } = body();
  for (const { properties } of widgets)
    expect([properties.title, properties.metrics]).not.toEqual([properties.title, []]);
  const metricsOf = (title: string): string =>
    JSON.stringify(widgets.find(({ properties }) => properties.title === title)?.properties.metrics);
  for (const name of ['wake', 'facts', 'dispatch', 'submit'])
    expect(metricsOf('Oldest message, seconds')).toContain(`"label":"${name}"`);
  for (const name of ['api', 'reconcile', 'dispatch', 'sweep', 'submit']) {
    expect(metricsOf('Functions: errors')).toContain(`"label":"${name}"`);
    expect(metricsOf('Functions: throttled')).toContain(`"label":"${name}"`);
  }
});

test('our metrics have the names and the dimension that functions write', () => {
  expect(JSON.stringify(body())).toContain('["Muster","IndexesSucceeded","service","muster"');
});
