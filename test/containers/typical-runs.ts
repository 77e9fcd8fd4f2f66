import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a typical manifest needs, and what its Pods then print. */
export type TypicalRun = {
  /** Objects that are made first. */
  readonly objects?: (folder: string) => readonly object[];
  /** Files in a folder of this machine that Pods may mount. */
  readonly files?: Readonly<Record<string, string>>;
  /** Images: programs in /bin, of which `main` is what the image starts. */
  readonly images?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The log of a Pod, by its index. */
  readonly prints: (index: number) => string;
};

const named = (apiVersion: string, kind: string, name: string, contents: object): object => ({
  apiVersion,
  kind,
  metadata: { name },
  ...contents,
});
const configMap = (name: string, data: Readonly<Record<string, string>>): object =>
  named('v1', 'ConfigMap', name, { data });
const secret = (name: string, stringData: Readonly<Record<string, string>>, type = 'Opaque'): object =>
  named('v1', 'Secret', name, { stringData, type });

/** A claim, and a volume for it alone: a folder of this machine. */
function claim(name: string, path: string): readonly object[] {
  const accessModes = ['ReadWriteMany'];
  const size = { storage: '1Gi' };
  return [
    named('v1', 'PersistentVolume', name, { spec: { capacity: size, accessModes, hostPath: { path } } }),
    named('v1', 'PersistentVolumeClaim', name, {
      spec: { accessModes, storageClassName: '', volumeName: name, resources: { requests: size } },
    }),
  ];
}

const DONE: TypicalRun = { prints: () => 'done\n' };
const ITEMS = Array.from({ length: 100 }, (_, n) => `item-${n + 1}`);

/** By the manifest's name. A program prints what it got, so that the log says that it was the right thing. */
export const TYPICAL_RUNS: Readonly<Record<string, TypicalRun>> = {
  'account-token': {
    images: {
      'example.com/client:1': {
        main: `cut -d. -f2 /var/run/secrets/tokens/token | tr _- /+ | base64 -d 2>/dev/null | grep -o '"aud":[^,]*'`,
      },
    },
    prints: () => '"aud":["vault"]\n',
  },
  affinity: DONE,
  'backup-to-a-bucket': {
    objects: (folder) => [...claim('uploads', join(folder, 'all')), secret('rclone', { 'rclone.conf': '[store]\n' })],
    files: { 'all/uploads/one.txt': 'one\n', 'all/other.txt': 'other\n' },
    images: {
      'rclone/rclone:1': { main: 'echo "$1 $3"; cat "$2"/*.txt "$5"; touch "$2/new" 2>/dev/null || echo kept' },
    },
    prints: () => 'sync store:backup\none\n[store]\nkept\n',
  },
  'config-file': {
    objects: () => [configMap('report-settings', { 'report.toml': 'title = "weekly"\n', other: 'x' })],
    images: { 'example.com/report:2.4': { main: 'cat "$2"; ls /etc/report' } },
    prints: () => 'title = "weekly"\nreport.toml\n',
  },
  'env-from': {
    objects: () => [
      configMap('sync', { REGION: 'eu-central-1' }),
      configMap('tables', { TABLE: 'orders' }),
      secret('sync-keys', { KEY: 'hunter2' }),
    ],
    images: { 'example.com/sync:3': { main: 'echo "$@" with "$KEY"' } },
    prints: () => '--region eu-central-1 --table orders with hunter2\n',
  },
  'fetch-then-work': {
    images: {
      'curlimages/curl:8': { curl: '[ "$1" = -o ] && echo "of $3" > "$2"' },
      'example.com/work:1': { main: 'cat "$1"; touch /in/new 2>/dev/null || echo kept' },
    },
    prints: () => 'of https://example.com/data.csv\nkept\n',
  },
  'file-owner': {
    objects: () => [secret('tool', { token: 'hunter2\n' })],
    images: {
      'example.com/tool:1': {
        main: `id -u; id -g; cat /credentials/token; grep CapBnd /proc/self/status
for file in /new /credentials/new; do touch $file 2>/dev/null || echo "no $file"; done`,
      },
    },
    prints: () => '1000\n1000\nhunter2\nCapBnd:\t0000000000000000\nno /new\nno /credentials/new\n',
  },
  'index-file': { prints: String },
  'migration-with-certificates': {
    objects: () => [
      configMap('database', { host: 'db.example.com' }),
      secret('database-client', { 'tls.crt': 'certificate\n', 'tls.key': 'key\n' }, 'kubernetes.io/tls'),
    ],
    images: {
      'example.com/migrate:4': {
        migrate: `echo "$9 $2"; cat "$4" "$6"; stat -L -c %a "$4"; [ -f "$8" ] && echo trusts
case $POD in migration-with-certificates-*) echo named; esac`,
      },
    },
    prints: () => 'up db.example.com\nkey\ncertificate\n400\ntrusts\nnamed\n',
  },
  'nightly-script': {
    objects: () => [configMap('tidy', { 'tidy.sh': '#!/bin/bash\necho "tidy, by $0"\n' })],
    images: { 'bash:5': { bash: 'exec sh "$@"' } },
    prints: () => 'tidy, by /scripts/tidy.sh\n',
  },
  'one-file-by-sub-path': {
    objects: () => [configMap('convert-policy', { 'policy.xml': '<policymap/>\n', other: 'x' })],
    images: { 'example.com/convert:1': { main: 'cat /etc/convert/policy.xml; ls /etc/convert' } },
    prints: () => '<policymap/>\npolicy.xml\n',
  },
  'own-folder-by-name': {
    objects: (folder) => claim('logs', join(folder, 'logs')),
    files: { 'logs/before': '' },
    prints: () => '',
  },
  priority: DONE,
  'private-image': { prints: () => 'pulled\n' },
  probes: { images: { 'example.com/server:1': { main: 'echo served' } }, prints: () => 'served\n' },
  'projected-settings': {
    objects: () => [
      configMap('hyperparameters', { 'small.json': '{"rate": 0.1}\n', 'large.json': '{}' }),
      secret('registry-token', { token: 'hunter2\n' }),
    ],
    images: {
      'example.com/train:7': {
        main: `cd /settings; find . -type f | grep -v '/\\.\\.' | sort; cat model/parameters.json token; stat -L -c %a token model/parameters.json
grep '^batch.kubernetes.io/job-name' labels; cat cpus`,
      },
    },
    prints: () =>
      './cpus\n./labels\n./model/parameters.json\n./token\n{"rate": 0.1}\nhunter2\n400\n444\nbatch.kubernetes.io/job-name="projected-settings"\n2',
  },
  'release-hook': {
    objects: () => [
      named('v1', 'ServiceAccount', 'shop', {}),
      secret('shop-database', { DATABASE_URL: 'postgres://shop:hunter2@db/shop' }),
      configMap('shop', { MODE: 'production' }),
    ],
    images: { 'example.com/shop:4.1': { manage: 'echo "$1 $DATABASE_URL for $MODE"' } },
    prints: () => 'migrate postgres://shop:hunter2@db/shop for production\n',
  },
  'scratch-claim': {
    images: {
      'example.com/sort:1': {
        main: "printf 'b\\na\\n' > /scratch/in; sort -o /scratch/out /scratch/in; cat /scratch/out",
      },
    },
    prints: () => 'a\nb\n',
  },
  'secret-variables': {
    objects: () => [secret('warehouse', { url: 'postgres://kim:hunter2@dw/all' })],
    images: { 'example.com/loader:1': { psql: 'echo "$@" into "${SCHEMA-no schema}"' } },
    prints: () => 'postgres://kim:hunter2@dw/all -f load.sql into no schema\n',
  },
  'shared-claim': {
    objects: (folder) => [...claim('frames', join(folder, 'frames')), ...claim('models', join(folder, 'models'))],
    files: { 'frames/film/a/before': '', 'models/scene': 'a hill\n' },
    images: {
      'example.com/render:5': {
        render: 'cat /models/scene > "$4" && echo "frame $2"; touch /models/new 2>/dev/null || echo kept',
      },
    },
    prints: (index) => `frame ${index}\nkept\n`,
  },
  tolerations: DONE,
  'work-list-in-a-config-map': {
    objects: () => [configMap('items', { 'items.txt': `${ITEMS.join('\n')}\n` })],
    prints: (index) => `works on ${ITEMS[index]}\n`,
  },
};

/** Writes the files of all of them. */
export function writeFiles(folder: string): void {
  for (const { files = {} } of Object.values(TYPICAL_RUNS)) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }
}
