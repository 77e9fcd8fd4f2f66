import { describe, expect, test } from 'vitest';
import { ENV } from '../../shared/names/env.ts';
import { musterTemplate, ref } from './template.ts';

const HOSTS = [ENV.hostsZone, ENV.hostsNamespaceId, ENV.hostsMax];
const none = musterTemplate();
const named = musterTemplate({ hostnames: 'jobs.internal', hostsMax: '50' });
const [namespaceId] = named.all('AWS::ServiceDiscovery::PrivateDnsNamespace').keys();
const ofNames = (action: string): boolean => /^(servicediscovery|route53):/.test(action);

test('without names there is nothing of them, neither a price nor a right', () => {
  expect(none.types.filter((type) => type.includes('ServiceDiscovery') || type.includes('Route53'))).toEqual([]);
  expect(none.rights.flatMap(({ actions }) => actions).filter(ofNames)).toEqual([]);
  for (const { Properties } of none.functions.values())
    for (const name of HOSTS) expect(Properties).not.toHaveProperty(['Environment', 'Variables', name]);
});

describe('with names', () => {
  test('there is one zone in the VPC, in which absence is forgotten within seconds', () => {
    const [vpc] = named.all('AWS::EC2::VPC').keys();
    expect([...named.all('AWS::ServiceDiscovery::PrivateDnsNamespace').values()]).toMatchObject([
      {
        Properties: {
          Name: 'jobs.internal',
          Vpc: { Ref: vpc },
          Properties: { DnsProperties: { SOA: { TTL: 5 } } },
        },
      },
    ]);
    // Or names would not be found in it at all (VPC user guide, DNS attributes).
    expect(named.count('AWS::EC2::VPC', { EnableDnsSupport: true, EnableDnsHostnames: true })).toBe(1);
  });

  test('a VPC that is given has the zone', () => {
    const given = musterTemplate({ hostnames: 'true', vpcId: 'vpc-1', subnetIds: 'subnet-1' });
    const zone = { Name: 'muster.internal', Vpc: 'vpc-1' };
    expect(given.count('AWS::ServiceDiscovery::PrivateDnsNamespace', zone)).toBe(1);
  });

  test('every function knows the zone', () => {
    const { size } = named.functions;
    const Variables = {
      [ENV.hostsZone]: 'jobs.internal',
      [ENV.hostsNamespaceId]: { 'Fn::GetAtt': [namespaceId, 'Id'] },
      [ENV.hostsMax]: '50',
    };
    expect(named.count('AWS::Lambda::Function', { Environment: { Variables } })).toBe(size);
  });

  test('tasks hear one another, and nobody else', () => {
    const [group] = named.all('AWS::EC2::SecurityGroup').keys();
    const ingress = [...named.all('AWS::EC2::SecurityGroupIngress').values()].map(({ Properties }) => Properties);
    expect(ingress).toHaveLength(1);
    expect(ingress[0]).toMatchObject({ IpProtocol: '-1' });
    expect([ref(ingress[0]!['GroupId']), ref(ingress[0]!['SourceSecurityGroupId'])]).toEqual([group, group]);
    expect(ingress[0]).not.toHaveProperty('CidrIp');
  });

  test('nothing else of the stack is otherwise', () => {
    const more = named.types.filter((type) => !none.types.includes(type));
    expect(more).toEqual(['AWS::EC2::SecurityGroupIngress', 'AWS::ServiceDiscovery::PrivateDnsNamespace']);
    expect(named.all('AWS::CloudWatch::Alarm').size).toBe(none.all('AWS::CloudWatch::Alarm').size);
  });
});

describe('rights', () => {
  const of = (handler: string) => named.rightsOf(handler).filter(({ actions }) => actions.some(ofNames));
  const actionsOf = (handler: string) =>
    of(handler)
      .flatMap(({ actions }) => actions)
      .filter(ofNames)
      .sort();

  test('dispatch keeps names, sweep removes them, others know nothing of them', () => {
    expect([...actionsOf('api'), ...actionsOf('reconcile')]).toEqual([]);
    const makes = /:(Create\w+|RegisterInstance|ListHostedZonesByName)$/;
    expect(actionsOf('dispatch').filter((action) => makes.test(action))).toEqual([
      'route53:ListHostedZonesByName',
      'servicediscovery:CreateService',
      'servicediscovery:RegisterInstance',
    ]);
    expect(actionsOf('sweep').filter((action) => makes.test(action))).toEqual([]);
    expect(none.fedBy('sweep')).toEqual(named.fedBy('sweep'));
  });

  test('services are made in our namespace only, records in its zone only; what is for everything only reads', () => {
    const resourcesOf = (action: string): readonly unknown[] =>
      of('dispatch').find(({ actions }) => actions.includes(action))!.resources;
    const making = of('dispatch').find(({ actions }) => actions.includes('servicediscovery:CreateService'))!;
    const namespaceArn = { 'Fn::GetAtt': [namespaceId, 'Arn'] };
    expect(making.condition).toEqual({ ArnEquals: { 'servicediscovery:NamespaceArn': namespaceArn } });
    expect(making.resources).toHaveLength(2);
    expect(making.resources).toContainEqual(namespaceArn);
    expect(JSON.stringify(making.resources)).toMatch(/:service\/\*"/);
    expect(JSON.stringify(resourcesOf('servicediscovery:RegisterInstance'))).toMatch(/:service\/\*"/);
    expect(JSON.stringify(resourcesOf('route53:ChangeResourceRecordSets'))).toContain(
      JSON.stringify({ 'Fn::GetAtt': [namespaceId, 'HostedZoneId'] }),
    );
    const wide = named.rights.filter(({ resources }) => resources.includes('*')).flatMap(({ actions }) => actions);
    expect([...new Set(wide.filter(ofNames))].sort()).toEqual([
      'route53:ListHostedZonesByName',
      'servicediscovery:ListServices',
    ]);
    // Nobody can delete the namespace or its zone but the stack.
    const all = named.rights.flatMap(({ actions }) => actions);
    expect(all.filter((action) => /Namespace$|(?<!Get)HostedZone$/.test(action))).toEqual([]);
  });
});
