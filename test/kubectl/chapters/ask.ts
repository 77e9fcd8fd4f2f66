import type { Terminal } from '../terminal.ts';
import { job } from './manifests.ts';

/** What the server is, what it has, and what one may. */
export async function ask(t: Terminal): Promise<void> {
  await t.shows('version', /Server Version: .*v1\.3\d/);
  await t.shows(
    'api-versions',
    'authentication.k8s.io/v1\nauthorization.k8s.io/v1\nbatch/v1\nevents.k8s.io/v1\nexecution.furiko.io/v1alpha1\nmetrics.k8s.io/v1beta1\nmuster.run/v1\nrbac.authorization.k8s.io/v1\nstorage.k8s.io/v1\nv1',
  );
  const rows = await t.run('api-resources --no-headers --sort-by=name');
  t.same(
    'api-resources',
    rows.replaceAll(/ {2,}/g, ' '),
    new RegExp(
      [
        'cronjobs cj batch/v1 true CronJob',
        'events ev v1 true Event',
        'jobs batch/v1 true Job',
        'namespaces ns v1 false Namespace',
        'pods po v1 true Pod',
      ].join('\n(.*\n)*'),
    ),
  );
  await t.shows('api-resources --api-group=batch -o name --sort-by=name', 'cronjobs.batch\njobs.batch');
  await t.shows(
    'api-resources --verbs=deletecollection -o name --api-group=batch --sort-by=name',
    'cronjobs.batch\njobs.batch',
  );
  await t.shows('get serviceaccounts', /^NAME +SECRETS +AGE\ndefault +0 +\S+$/);
  await t.shows('get configmaps -o name', 'configmap/kube-root-ca.crt');
  await t.shows('describe serviceaccount default', /^Name: +default\nNamespace: +\S+\n/);
  await t.shows('cluster-info', /is running at .*127\.0\.0\.1:\d+/);
  await t.shows('auth can-i create jobs', 'yes');
  await t.shows('auth can-i create jobs.batch --quiet', '');
  await t.shows("auth can-i '*' '*'", /^(yes|no\nexit 1)$/);
  await t.shows('cluster-info dump', /"kind": "NodeList"(.*\n)*.*"kind": "PodList"/);
  await t.shows('auth can-i create pods', 'yes');
  await t.shows('auth can-i get pods --subresource=log', 'yes');
  await t.shows('auth can-i create deployments.apps', /^(! Warning: .*\n)*no( - .*)?\nexit 1$/);
  await t.shows(
    'auth can-i --list',
    /^Resources +Non-Resource URLs +Resource Names +Verbs\n(.*\n)*(cronjobs|jobs)(\.batch)? /,
  );
  await t.shows('auth whoami', /^ATTRIBUTE +VALUE\nUsername +\S+/);
  await t.shows('config view --minify -o jsonpath={.contexts[0].context.namespace}', /^(default|)$/);
}

/** What no Job needs: each says so in one clean sentence. */
export async function refusals(t: Terminal): Promise<void> {
  t.write('pi.yaml', job('pi', 'exec sleep 300'));
  await t.run('create -f pi.yaml');
  await t.until('get pods', '1/1   Running');
  const pods = (await t.json('get pods')) as { items: readonly { metadata: { name: string } }[] };
  const name = pods.items[0]!.metadata.name;
  const clean =
    /^(! (If you don't see a command prompt|Defaulting container name|Use 'kubectl describe).*\n)*! ([Ee]rror|Error from server \(\w+\)): (?!unknown$)[^\n]+\nexit 1$/;
  await t.shows(
    'run web --image=nginx --command -- sleep 1',
    /^! The Pod "web" is invalid: spec\.restartPolicy: [^\n]+--restart=Never\)\nexit 1$/,
  );
  await t.shows('top nodes', clean);
  await t.shows('create deployment x --image=y', clean);
  await t.shows('rollout status job/pi', clean);
  await t.shows('get nodes', clean);
  await t.shows(`label pod ${name} a=b`, clean);
  await t.run('delete job pi');
}
