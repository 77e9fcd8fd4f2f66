import type { Terminal } from '../terminal.ts';

const claim = (name: string, more = ''): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: ${name}
spec:
  accessModes: [ReadWriteOnce]
${more}  resources:
    requests:
      storage: 1Gi
`;

/** A claim of a folder, one that nothing fits, and one of a volume that is there. */
export async function storage(t: Terminal): Promise<void> {
  await t.shows(
    'get sc',
    /^NAME +PROVISIONER +RECLAIMPOLICY +VOLUMEBINDINGMODE +ALLOWVOLUMEEXPANSION +AGE\nstandard \(default\) +muster.run\/local-folder +Delete +Immediate +false +/,
  );
  t.write('results.yaml', claim('results'));
  await t.shows('create -f results.yaml', 'persistentvolumeclaim/results created');
  await t.shows(
    'get pvc results',
    /^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS +(VOLUMEATTRIBUTESCLASS +)?AGE\nresults +Bound +pvc-UID +1Gi +RWO +standard +(<unset> +)?/,
  );
  await t.shows(
    'describe pvc results',
    /Status: +Bound[^]*ProvisioningSucceeded[^]*Successfully provisioned volume pvc-/,
  );
  await t.shows('delete pvc results', /^persistentvolumeclaim "results" deleted( from \S+ namespace)?$/);
  t.write('none.yaml', claim('none', '  storageClassName: ""\n'));
  await t.shows('apply -f none.yaml', 'persistentvolumeclaim/none created');
  await t.shows(
    'describe pvc none',
    /FailedBinding[^]*no persistent volumes available for this claim and no storage class is set/,
  );
  t.write(
    'shared.yaml',
    `apiVersion: v1
kind: PersistentVolume
metadata:
  name: shared-${t.namespace}
spec:
  capacity:
    storage: 5Gi
  accessModes: [ReadWriteOnce]
  claimRef:
    namespace: ${t.namespace}
    name: none
  csi:
    driver: efs.csi.aws.com
    volumeHandle: fs-0123456789abcdef0
`,
  );
  await t.shows('apply -f shared.yaml', `persistentvolume/shared-${t.namespace} created`);
  await t.shows(
    `get pv shared-${t.namespace}`,
    new RegExp(`^NAME +CAPACITY[^]*\nshared-${t.namespace} +5Gi +RWO +Retain +Bound +${t.namespace}/none +`),
  );
  await t.shows('apply -f none.yaml', 'persistentvolumeclaim/none unchanged');
  await t.run('delete pvc none');
  await t.shows(`describe pv shared-${t.namespace}`, /Status: +Released/);
  await t.run(`delete pv shared-${t.namespace}`);
}
