import { App } from 'aws-cdk-lib';
import { FLAGS, MusterStack } from './muster-stack.ts';
import { readSettings } from './settings.ts';

const app = new App({ postCliContext: FLAGS });

// The environment is left open: with an account in it, CDK asks AWS for the zones, and synth needs a network.
new MusterStack(app, 'Muster', {
  settings: readSettings((key) => app.node.tryGetContext(key)),
  description: 'Muster: Kubernetes Jobs on Fargate, each index counted exactly once',
});
