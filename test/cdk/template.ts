import { rmSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { FLAGS, MusterStack } from '../../cdk/muster-stack.ts';
import { readSettings } from '../../cdk/settings.ts';

/** CDK's validation takes two seconds a template; `npm run synth` has it. */
process.env['CDK_VALIDATION'] = 'false';

/** A resource of the template; its properties are looked at as JSON. */
export type Resource = {
  readonly Type: string;
  readonly Properties: Json;
  readonly Metadata?: Json;
  readonly DependsOn?: readonly string[];
};
export type Json = { readonly [key: string]: unknown };

/** What a role may do; `owner` is its logical id. */
export type Statement = {
  readonly owner: string;
  readonly actions: readonly string[];
  readonly resources: readonly unknown[];
  readonly condition: unknown;
};

/** Which function (by logical id) drains which queue. */
export type Mapping = { readonly queue: string; readonly consumer: string; readonly properties: Json };

/** The stack's template, without bundling: what the functions contain is another test's matter. */
export function musterTemplate(context: Readonly<Record<string, string>> = {}): Deployed {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context }, postCliContext: FLAGS });
  try {
    const settings = readSettings((key) => app.node.tryGetContext(key));
    return new Deployed(Template.fromStack(new MusterStack(app, 'Muster', { settings })));
  } finally {
    removeOutputOf(app);
  }
}

/** Each App makes a folder for its output in the temporary folder, and leaves it there. The template has been read by now. */
export function removeOutputOf({ outdir }: App): void {
  rmSync(outdir, { recursive: true, force: true });
}

/** A template, seen as what is deployed with it. Everything is found by what it is, never by a generated id. */
export class Deployed {
  readonly #template: Template;

  constructor(template: Template) {
    this.#template = template;
  }

  /** Resources of a type, by logical id. */
  all(type: string): ReadonlyMap<string, Resource> {
    return new Map(Object.entries(this.#template.findResources(type) as Record<string, Resource>));
  }

  /** How many resources of a type have at least these properties. */
  count(type: string, properties: Json = {}): number {
    return Object.keys(this.#template.findResources(type, { Properties: properties })).length;
  }

  /** The template as CloudFormation gets it. */
  json(): string {
    return JSON.stringify(this.#template.toJSON(), null, 1);
  }

  get conditions(): Json {
    return (this.#template.toJSON() as { readonly Conditions?: Json }).Conditions ?? {};
  }

  /** What a deployment prints, by name. */
  get outputs(): Json {
    return (this.#template.toJSON() as { readonly Outputs: Json }).Outputs;
  }

  get types(): readonly string[] {
    const { Resources } = this.#template.toJSON() as { readonly Resources: Record<string, Resource> };
    return [...new Set(Object.values(Resources).map(({ Type }) => Type))];
  }

  /** Logical ids that a resource refers to or depends on. */
  needs(id: string): readonly string[] {
    const { Resources } = this.#template.toJSON() as { readonly Resources: Record<string, Resource> };
    const { DependsOn = [], Properties } = Resources[id]!;
    const named = JSON.stringify(Properties ?? {}).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"(\w+)"/g);
    return [...DependsOn, ...[...named].map(([, name = '']) => name)].filter((name) => name in Resources);
  }

  /** Ours; CDK's own runs while the stack is deployed. */
  get functions(): ReadonlyMap<string, Resource> {
    const all = [...this.all('AWS::Lambda::Function')];
    return new Map(all.filter(([, { Metadata }]) => Metadata?.['muster:handler'] !== undefined));
  }

  get queues(): ReadonlyMap<string, Resource> {
    return this.all('AWS::SQS::Queue');
  }

  get mappings(): readonly Mapping[] {
    return [...this.all('AWS::Lambda::EventSourceMapping').values()].map(({ Properties }) => ({
      queue: ref(Properties['EventSourceArn']),
      consumer: ref(Properties['FunctionName']),
      properties: Properties,
    }));
  }

  /** Which of our handlers a function runs. */
  handlerOf(functionId: string): string {
    return String(this.functions.get(functionId)?.Metadata?.['muster:handler']);
  }

  /** Logical id of the function that runs a handler. */
  functionOf(handler: string): string {
    return [...this.functions.keys()].find((id) => this.handlerOf(id) === handler)!;
  }

  /** Logical id of a handler's role. */
  roleOf(handler: string): string {
    return ref(this.functions.get(this.functionOf(handler))!.Properties['Role']);
  }

  /** The queue that is drained and whose id begins with `name`. */
  queueOf(name: string): string {
    return this.mappings.find(({ queue }) => queue.startsWith(name))!.queue;
  }

  /** The dead-letter queue of a queue. */
  deadOf(queue: string): string {
    return ref((this.queues.get(queue)!.Properties['RedrivePolicy'] as Json)['deadLetterTargetArn']);
  }

  /** Alarms on a metric of the resource with that logical id. */
  alarmsOn(metric: string, id: string): readonly Json[] {
    const alarms = [...this.all('AWS::CloudWatch::Alarm').values()].map(({ Properties }) => Properties);
    return alarms.filter(
      ({ MetricName, Dimensions }) =>
        MetricName === metric &&
        ((Dimensions ?? []) as { readonly Value: unknown }[]).some(({ Value }) => ref(Value) === id),
    );
  }

  /** Allowing statements of roles' own policies. */
  get rights(): readonly Statement[] {
    return [...this.all('AWS::IAM::Policy').values()].flatMap(({ Properties: { PolicyDocument, Roles } }) => {
      const owner = ref((Roles as unknown[])[0]);
      const { Statement: all } = PolicyDocument as { readonly Statement: readonly Json[] };
      return all.map(({ Action, Resource: on, Condition: condition }) => ({
        owner,
        actions: list(Action) as string[],
        resources: list(on),
        condition,
      }));
    });
  }

  /** Rights of one handler. */
  rightsOf(handler: string): readonly Statement[] {
    return this.rights.filter(({ owner }) => owner === this.roleOf(handler));
  }

  /** Handlers that get the messages which `handler` may send. */
  fedBy(handler: string): readonly string[] {
    const sends = this.rightsOf(handler).filter(({ actions }) => actions.includes('sqs:SendMessage'));
    const into = sends.flatMap(({ resources }) => resources.map(ref));
    const fed = this.mappings.filter(({ queue }) => into.includes(queue));
    return [...new Set(fed.map(({ consumer }) => this.handlerOf(consumer)))].sort();
  }
}

/** The logical id that `{Ref}` or `{Fn::GetAtt}` points to; of anything else its text. */
export function ref(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    if ('Ref' in value && typeof value.Ref === 'string') return value.Ref;
    if ('Fn::GetAtt' in value && Array.isArray(value['Fn::GetAtt'])) return String(value['Fn::GetAtt'][0]);
  }
  return JSON.stringify(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}
