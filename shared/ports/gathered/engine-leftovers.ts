/** Containers that the engine of this machine keeps and nobody needs. */
export type EngineLeftover = {
  /** the value of the label `muster.run/installation` */
  readonly installation: string;
  /** the data folder that they belonged to, which is gone; null: they are of this installation */
  readonly goneFolder: string | null;
  /** their names */
  readonly containers: readonly string[];
};
