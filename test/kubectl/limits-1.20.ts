/** What kubectl 1.20 (Debian 12's) cannot do with Muster: docs/kubectl.md tells users. Most of it is so with a cluster, too. */
type Limit = {
  readonly commands: RegExp;
  /** What it prints instead. */
  readonly screen: RegExp;
  readonly why: string;
};

const LIMITS: readonly Limit[] = [
  {
    commands: /--dry-run=server|^diff /,
    screen: /^! error: (error when \w+ "\S+": )?batch\/v1, Kind=Job doesn't support dry-run\nexit [12]$/,
    why: 'looks for it in an OpenAPI document in an older format, which is empty here',
  },
  {
    commands: /^explain /,
    screen: /^! error: couldn't find resource for ".+"\nexit 1$/,
    why: 'reads that same document',
  },
  {
    commands: /^create cronjob /,
    screen: /^! error: failed to create cronjob: the server could not find the requested resource\nexit 1$/,
    why: 'asks for batch/v1beta1, which Kubernetes has no longer since 1.25',
  },
  {
    commands: /--from=cronjob\//,
    screen: /^! (error: |Error from server \(NotFound\): ).+\nexit 1$/,
    why: 'knows CronJobs of batch/v1beta1 only',
  },
  {
    commands: /^describe cronjob /,
    screen: /^! Error from server \(NotFound\): the server could not find the requested resource\nexit 1$/,
    why: 'asks for batch/v1beta1',
  },
  { commands: /^wait --for=jsonpath/, screen: /^! error: unrecognized condition: /, why: 'since 1.23' },
  {
    commands: /--subresource=status/,
    screen: /^! (error: |Error: )?unknown flag: --subresource\n(.*\n)*exit 1$/,
    why: 'since 1.24',
  },
  { commands: /^events( |$)/, screen: /^! (Error|error): .*\n(.*\n)*exit 1$/, why: 'since 1.26; get events works' },
  { commands: /^auth whoami/, screen: /^! error: unknown command "whoami"\n(.*\n)*exit 1$/, why: 'since 1.27' },
  {
    commands: /--validate=(strict|warn|ignore)/,
    screen: /^! Error: invalid argument "\w+" for "--validate" flag: (.*\n)+exit 1$/,
    why: 'since 1.25; Muster warns of unknown fields whether --validate says so or not',
  },
];

/** What kubectl 1.20 prints instead if it cannot do `line`; null if it can. */
export function limitOf(line: string): RegExp | null {
  return LIMITS.find(({ commands }) => commands.test(line))?.screen ?? null;
}
