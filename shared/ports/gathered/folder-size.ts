/** What the embedded runtime's data folder takes of its disk, in all, and the parts that grow. */
export type DataFolderSize = {
  readonly path: string;
  readonly bytes: number;
  /** The file that holds Jobs; null: they are not in this folder. */
  readonly jobs: { readonly usedBytes: number; readonly fileBytes: number } | null;
  /** What tasks have printed. */
  readonly logsBytes: number;
  /** Records of tasks, of the last hour. */
  readonly tasksBytes: number;
};
