declare module '../../../ports/extra-commands.ts' {
  interface CapabilityCommands {
    readonly quotas: QuotaCommands;
  }
}

/** What users do with quotas, beside writing them. */
export type QuotaCommands = {
  /** Counts what a namespace uses, and writes it into its quotas, unless that takes too long: then the sweep does it. */
  count(namespace: string): Promise<void>;
};
