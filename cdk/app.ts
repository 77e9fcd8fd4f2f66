import { Annotations, App } from 'aws-cdk-lib';
import { FLAGS, MusterStack } from './muster-stack.ts';
import { type Settings, readSettings } from './settings.ts';
import { synthNotes } from './synth-notes.ts';

const app = new App({ postCliContext: FLAGS });
const { CDK_DEFAULT_REGION: region } = process.env;

/** Reports invalid settings without a stack trace. */
function settings(): Settings {
  try {
    const context = app.node.getAllContext() as Readonly<Record<string, unknown>>;
    return readSettings((key) => context[key], region, Object.keys(context));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

// The environment is left open: with an account in it, CDK queries AWS for the zones, and synth needs a network.
const given = settings();
const stack = new MusterStack(app, 'Muster', {
  settings: given,
  description: 'Muster: Kubernetes Jobs on Fargate, each index counted exactly once',
});
for (const { id, text } of synthNotes(given, region)) Annotations.of(stack).addWarningV2(id, text);
