/** Where the installation's key is. */
export type SecretsKey = {
  /** For messages: `the file secrets.key of the data folder`. */
  readonly place: string;
  /** What is there; null: nothing. */
  read(): Promise<string | null>;
  /** Puts it there, unless something is there already. */
  make(text: string): Promise<void>;
};
