/** Why a container cannot be started, by no fault of the engine, in the words of ECS and Kubernetes. */
export class UnstartableError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnstartableError';
  }
}
