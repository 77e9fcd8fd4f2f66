import type { Terminal } from '../terminal.ts';

/** Roles, bindings, and ServiceAccounts, with the commands that make them. */
export async function grant(t: Terminal): Promise<void> {
  const own = `${t.namespace}-own`;
  await t.shows('create serviceaccount bot', 'serviceaccount/bot created');
  await t.shows(
    'create serviceaccount bot',
    /^! (error: failed to create serviceaccount|Error from server \(AlreadyExists\)): serviceaccounts "bot" already exists\nexit 1$/,
  );
  await t.shows('get sa', /^NAME +SECRETS +AGE\nbot +0 +\S+\ndefault +0 +\S+$/);
  await t.shows(
    'create role reads --verb=get,list --resource=jobs.batch,pods/log',
    'role.rbac.authorization.k8s.io/reads created',
  );
  await t.shows('get role reads', /^NAME +CREATED AT\nreads +\S+$/);
  await t.shows(
    'describe role reads',
    /PolicyRule:\n +Resources +Non-Resource URLs +Resource Names +Verbs\n(.*\n)* +jobs\.batch +\[\] +\[\] +\[get list\]/,
  );
  await t.shows(
    'create rolebinding readers --role=reads --user=ann --group=ops --serviceaccount=default:bot',
    'rolebinding.rbac.authorization.k8s.io/readers created',
  );
  await t.shows('get rolebinding readers', /^NAME +ROLE +AGE\nreaders +Role\/reads +\S+$/);
  await t.shows(
    'get rolebinding readers -o wide',
    /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS\nreaders +Role\/reads +\S+ +ann +ops +default\/bot$/,
  );
  await t.shows(
    `create clusterrole ${own} --verb=get --non-resource-url=/version`,
    `clusterrole.rbac.authorization.k8s.io/${own} created`,
  );
  await t.shows(
    `create clusterrolebinding ${own} --clusterrole=${own} --user=ann`,
    `clusterrolebinding.rbac.authorization.k8s.io/${own} created`,
  );
  await t.shows(
    'create rolebinding wrong --clusterrole=view --role=reads',
    '! error: exactly one of clusterrole or role must be specified\nexit 1',
  );
  await t.shows(
    'get clusterrole view -o jsonpath={.metadata.labels}',
    '{"kubernetes.io/bootstrapping":"rbac-defaults"}',
  );
  await t.shows(
    'delete clusterrole view',
    /^(! [Ww]arning: .*\n)?! Error from server \(Forbidden\): clusterroles\S+ "view" is forbidden: it always exists and cannot be changed or deleted; create one of another name, and bind that\nexit 1$/,
  );
  await reconcile(t);
  await t.shows(
    `delete clusterrole,clusterrolebinding ${own}`,
    /^(! [Ww]arning: .*\n)?clusterrole\S* "\S+" deleted\nclusterrolebinding\S* "\S+" deleted$/,
  );
}

/** Adds what a role lacks, and makes a binding again whose role has changed. */
async function reconcile(t: Terminal): Promise<void> {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reads', namespace: t.namespace },
    rules: [{ verbs: ['watch'], apiGroups: ['batch'], resources: ['jobs'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'readers', namespace: t.namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
  };
  t.write('grant.yaml', role, binding);
  await t.shows(
    'auth reconcile -f grant.yaml',
    /^(.*\n)*role\S*\/reads reconciled\n(.*\n)*rolebinding\S*\/readers reconciled(\n.*)*$/,
  );
  await t.shows('get role reads -o jsonpath={.rules[*].verbs}', /\["watch"\]/);
  await t.shows('get rolebinding readers -o jsonpath={.roleRef.name}', 'view');
}
