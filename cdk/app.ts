import { App } from 'aws-cdk-lib';
import { FLAGS, MusterStack } from './muster-stack.ts';
import { type Settings, readSettings } from './settings.ts';

const app = new App({ postCliContext: FLAGS });

/** Reports invalid settings without a stack trace. */
function settings(): Settings {
  try {
    const context = app.node.getAllContext() as Readonly<Record<string, unknown>>;
    return readSettings((key) => context[key], process.env['CDK_DEFAULT_REGION'], Object.keys(context));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

// The environment is left open: with an account in it, CDK queries AWS for the zones, and synth needs a network.
new MusterStack(app, 'Muster', {
  settings: settings(),
  description: 'Muster: Kubernetes Jobs on Fargate, each index counted exactly once',
});
