/** What capabilities keep in one process, each in a field of its own, which it declares here (`declare module`). */
export interface CapabilityState {}
