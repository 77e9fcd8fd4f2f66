import type { Terminal } from '../terminal.ts';

/** ConfigMaps and Secrets: made of words and files, applied, generated, changed, and what is refused. */
export async function configs(t: Terminal): Promise<void> {
  t.write('rules.txt', 'one\ntwo\n');
  await t.shows('create configmap rules --from-file=rules.txt --from-literal=mode=fast', 'configmap/rules created');
  await t.shows('get configmap rules', /^NAME +DATA +AGE\nrules +2 +\S+$/);
  await t.shows("get configmap rules -o jsonpath='{.data.rules\\.txt}'", 'one\ntwo');
  await t.shows('describe configmap rules', /^Name: +rules\n.*\nrules\.txt:\n----\none\ntwo\n/s);

  await t.shows('create secret generic db --from-literal=password=open-sesame', 'secret/db created');
  await t.shows('get secret db', /^NAME +TYPE +DATA +AGE\ndb +Opaque +1 +\S+$/);
  await t.shows("get secret db -o jsonpath='{.data.password}'", 'b3Blbi1zZXNhbWU=');
  await t.shows('describe secret db', /\nType: +Opaque\n\nData\n====\npassword: +11 bytes$/);
  await t.shows(
    'create secret docker-registry registry --docker-server=r.example.com --docker-username=me --docker-password=x',
    'secret/registry created',
  );
  await t.shows('get secret registry', /registry +kubernetes\.io\/dockerconfigjson +1 /);
  await t.shows(
    'create secret generic site --type=kubernetes.io/tls --from-literal=tls.crt=x',
    /^! .*Secret "site" is invalid: data\[tls\.key\]: Required value\nexit 1$/,
  );

  const written = (value: string): string =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: written}\nstringData: {key: ${value}}\n`;
  t.write('written.yaml', written('one'));
  await t.shows('apply -f written.yaml', 'secret/written created');
  t.write('written.yaml', written('two'));
  await t.shows('apply -f written.yaml', 'secret/written configured');
  await t.shows("get secret written -o jsonpath='{.data.key}'", 'dHdv');
  t.write('pin.yaml', written('1234').replace('written', 'pin'));
  await t.shows(
    'apply --validate=false -f pin.yaml',
    /^! (?!.*1234).*unmarshal number into field stringData\.key.*\nexit 1$/s,
  );

  t.write('generated/kustomization.yaml', 'configMapGenerator: [{name: made, literals: [a=1]}]\n');
  await t.shows('apply -k generated', /^configmap\/made-\w+ created$/);

  await t.shows(`patch configmap rules -p '{"immutable":true}'`, 'configmap/rules patched');
  await t.shows(
    `patch configmap rules -p '{"data":{"mode":"slow"}}'`,
    /^! The ConfigMap "rules" is invalid: data: Forbidden: field is immutable when `immutable` is set\nexit 1$/,
  );
  await t.shows(
    'delete configmap kube-root-ca.crt',
    /^! .*configmaps "kube-root-ca\.crt" is forbidden: every namespace has it, and it cannot be changed.*\nexit 1$/,
  );
  await t.run('delete configmap --all');
  await t.shows('get configmap -o name', 'configmap/kube-root-ca.crt');
  await t.run('delete secret --all');
  await t.shows('get secrets', /^! No resources found in \S+ namespace\.$/);
}
