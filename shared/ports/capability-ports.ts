/** What only capabilities ask, each in a field of its own, which it declares here (`declare module`). A process may be without. */
export interface CapabilityPorts {}
