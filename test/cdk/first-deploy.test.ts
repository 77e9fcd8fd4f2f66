import { describe, expect, test } from 'vitest';
import { type Deployed, type Json, type Resource, musterTemplate, ref } from './template.ts';

const stack = musterTemplate();

/** The call that a custom resource makes when it is created, with tokens as `<id>`. */
function callOf({ Properties }: Resource): Json {
  const [parts] = [Properties['Create'] ?? Properties['Update']] as [unknown];
  const text =
    typeof parts === 'string'
      ? parts
      : (parts as { 'Fn::Join': [string, unknown[]] })['Fn::Join'][1]
          .map((part) => (typeof part === 'string' ? part : `<${ref(part)}>`))
          .join('');
  return JSON.parse(text) as Json;
}

const callsOf = (deployed: Deployed) =>
  [...deployed.all('Custom::AWS')].map(([id, resource]) => ({ id, resource, call: callOf(resource) }));
const calls = callsOf(stack);
const calling = (action: string) => calls.find(({ call }) => call['action'] === action)!;

/** Everything that must exist before a resource, by logical id. */
function before(id: string, deployed = stack, seen = new Set<string>()): ReadonlySet<string> {
  for (const next of deployed.needs(id)) if (!seen.has(next)) before(next, deployed, seen.add(next));
  return seen;
}

/** IAM's name of what a custom resource calls, such as `iam:CreateServiceLinkedRole`. */
const actionOf = (call: Json): string =>
  `${String(call['service']).toLowerCase()}:${String(call['action']).replace(/^./, (first) => first.toUpperCase())}`;

describe('the first deployment of an account', () => {
  test('makes the role that ECS needs, or finds it, before there is a cluster', () => {
    const { id, call } = calling('createServiceLinkedRole');
    expect(call).toMatchObject({
      parameters: { AWSServiceName: 'ecs.amazonaws.com' },
    });
    for (const type of ['AWS::ECS::Cluster', 'AWS::ECS::ClusterCapacityProviderAssociations'])
      for (const each of stack.all(type).keys()) expect(before(each)).toContain(id);
    // A table that is there already does not come in between.
    const restored = musterTemplate({ tableName: 'restored' });
    const made = callsOf(restored).find(({ call }) => call['action'] === 'createServiceLinkedRole');
    const clusters = [...restored.all('AWS::ECS::Cluster').keys()];
    expect(clusters.map((each) => before(each, restored).has(made?.id ?? ''))).toEqual([true]);
  });

  test('makes the table in between, which gives IAM the time to spread the role', () => {
    const { id } = calling('createServiceLinkedRole');
    const [table = ''] = stack.all('AWS::DynamoDB::GlobalTable').keys();
    expect(before(table)).toContain(id);
    for (const each of stack.all('AWS::ECS::Cluster').keys()) expect(before(each)).toContain(table);
  });

  test.each([{}, { auth: 'token' }, { vpcId: 'vpc-1', subnetIds: 'subnet-1' }, { tableName: 'restored' }])(
    'has every right of a call in one policy before the function that calls, with %o',
    (settings) => {
      const deployed = musterTemplate(settings);
      const made = callsOf(deployed);
      expect(made.length).toBeGreaterThan(0);
      const callers = new Set(made.map(({ resource }) => ref(resource.Properties['ServiceToken'])));
      expect(callers.size).toBe(1);
      const [caller = ''] = callers;
      const properties = deployed.all('AWS::Lambda::Function').get(caller)!.Properties;
      const role = ref(properties['Role']);
      const policies = [...deployed.all('AWS::IAM::Policy')].filter(([, { Properties }]) =>
        (Properties['Roles'] as unknown[]).map(ref).includes(role),
      );
      expect(policies).toHaveLength(1);
      expect(before(caller, deployed)).toContain(policies[0]![0]);
      const rights = deployed.rights.filter(({ owner }) => owner === role);
      const allowed = rights.flatMap(({ actions }) => actions);
      expect(allowed.filter((action) => !action.startsWith('logs:')).sort()).toEqual(
        made.map(({ call }) => actionOf(call)).sort(),
      );
      for (const { id } of made) expect([...deployed.needs(id)].filter((need) => need === policies[0]![0])).toEqual([]);
    },
  );

  test.each(['Network', 'Authorizer', 'StateTable'])('starts that function anew when a right changes: %s', (part) => {
    const tokens = musterTemplate({ auth: 'token' });
    const { resource } = callsOf(tokens)[0]!;
    const { Properties } = tokens.all('AWS::Lambda::Function').get(ref(resource.Properties['ServiceToken']))!;
    const { Variables } = Properties['Environment'] as { readonly Variables: Json };
    expect(JSON.stringify(Variables['RIGHTS'])).toContain(part);
  });

  test('goes on where a policy of the organization denies what is no more than good manners', () => {
    // The codes of IAM, EC2, and Lambda for a denial (each service's API reference, common errors).
    const denials: Readonly<Record<string, string>> = {
      createServiceLinkedRole: 'AccessDenied',
      revokeSecurityGroupIngress: 'UnauthorizedOperation',
      revokeSecurityGroupEgress: 'UnauthorizedOperation',
      putFunctionConcurrency: 'AccessDeniedException',
    };
    const goesOn = (call: Json, code: string) => new RegExp(String(call['ignoreErrorCodesMatching'])).test(code);
    for (const { call } of callsOf(musterTemplate({ auth: 'token' }))) {
      const action = String(call['action']);
      const code = denials[action];
      expect([action, goesOn(call, code ?? 'AccessDeniedException')]).toEqual([action, code !== undefined]);
      expect([action, goesOn(call, 'ThrottlingException')]).toEqual([action, false]);
    }
    expect(goesOn(calling('createServiceLinkedRole').call, 'InvalidInput')).toBe(true); // it is there
    expect(goesOn(calling('revokeSecurityGroupIngress').call, 'InvalidPermission.NotFound')).toBe(true);
  });

  test('may make that role and no other', () => {
    const [right] = stack.rights.filter(({ actions }) => actions.includes('iam:CreateServiceLinkedRole'));
    expect(right!.actions).toEqual(['iam:CreateServiceLinkedRole']);
    expect(JSON.stringify(right!.resources)).toMatch(
      /:role\/aws-service-role\/ecs\.amazonaws\.com\/AWSServiceRoleForECS"/,
    );
    expect(right!.condition).toEqual({ StringEquals: { 'iam:AWSServiceName': 'ecs.amazonaws.com' } });
  });

  test('leaves neither table nor logs when it fails, and both when the stack goes later', () => {
    const kept = ['AWS::DynamoDB::GlobalTable', 'AWS::Logs::LogGroup'].flatMap((type) => [...stack.all(type)]);
    const policies = kept.flatMap(([id, resource]) =>
      (resource as unknown as Json)['DeletionPolicy'] === 'Delete'
        ? []
        : [[id.replace(/[0-9A-F]{8}$/, ''), (resource as unknown as Json)['DeletionPolicy']]],
    );
    expect(policies).toEqual([
      ['StateTable', 'RetainExceptOnCreate'],
      ['TasksLog', 'RetainExceptOnCreate'],
      ['ApiFunctionLog', 'RetainExceptOnCreate'], // who has changed what
      ['KubeAccessLog', 'RetainExceptOnCreate'],
    ]);
  });

  test('protects the table once all that serves is there', () => {
    const { id, call } = calling('updateTable');
    const [table] = stack.all('AWS::DynamoDB::GlobalTable').keys();
    expect(call['parameters']).toEqual({ TableName: `<${table}>`, DeletionProtectionEnabled: true });
    const [right] = stack.rights.filter(({ actions }) => actions.includes('dynamodb:UpdateTable'));
    expect(JSON.stringify(right!.resources)).toContain(`:table/Muster-${table}-*"`);
    const earlier = before(id);
    for (const type of ['AWS::Lambda::EventSourceMapping', 'AWS::ApiGateway::Stage', 'AWS::ECS::Cluster'])
      for (const each of stack.all(type).keys()) expect(earlier).toContain(each);
    for (const each of stack.functions.keys()) expect(earlier).toContain(each);
  });

  test('gives the authorizer a ceiling of its own, where the account has room for it', () => {
    expect(calling('putFunctionConcurrency')).toBeUndefined();
    const tokens = musterTemplate({ auth: 'token' });
    const { call } = callsOf(tokens).find((each) => each.call['action'] === 'putFunctionConcurrency')!;
    const id = tokens.functionOf('authorizer');
    expect(call).toMatchObject({
      parameters: { FunctionName: `<${id}>`, ReservedConcurrentExecutions: 10 },
    });
    // A new account has ten, all of them unreserved.
    expect('InvalidParameterValueException').toMatch(new RegExp(String(call['ignoreErrorCodesMatching'])));
    const [right] = tokens.rights.filter(({ actions }) => actions.includes('lambda:PutFunctionConcurrency'));
    expect(right!.resources).toEqual([{ 'Fn::GetAtt': [id, 'Arn'] }]);
    expect(tokens.functions.get(id)!.Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  test('gives it the ceiling that is asked for, or says that the account has no room', () => {
    const asked = musterTemplate({ auth: 'token', authorizerConcurrency: '5' });
    expect(callsOf(asked).map(({ call }) => call['action'])).not.toContain('putFunctionConcurrency');
    expect(asked.functions.get(asked.functionOf('authorizer'))!.Properties).toMatchObject({
      ReservedConcurrentExecutions: 5,
    });
  });

  test('closes the default group of its VPC, and of no VPC that is given', () => {
    const [vpc] = stack.all('AWS::EC2::VPC').keys();
    for (const direction of ['Ingress', 'Egress']) {
      const { call } = calling(`revokeSecurityGroup${direction}`);
      expect(call['parameters']).toMatchObject({ GroupId: `<${vpc}>`, IpPermissions: [{ IpProtocol: '-1' }] });
    }
    const given = musterTemplate({ vpcId: 'vpc-1', subnetIds: 'subnet-1' });
    expect(given.all('Custom::AWS').size).toBe(2);
    expect(given.rights.flatMap(({ actions }) => actions).filter((action) => action.startsWith('ec2:'))).toEqual([]);
  });
});
