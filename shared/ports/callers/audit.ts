import type { User } from '../../domain/callers/user.ts';

/**
 * Who has asked for what, and what became of it: an Event of `audit.k8s.io/v1` at level `Metadata`, so neither bodies nor tokens
 * are in it.
 */
export type AuditEvent = {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: 'Metadata';
  /** That of the transport, if it has one. */
  readonly auditID: string;
  readonly stage: 'ResponseComplete';
  readonly requestURI: string;
  readonly verb: string;
  readonly user: User;
  readonly sourceIPs?: readonly string[];
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations: Readonly<Record<string, string>>;
};

/** Where audit events go. Never fails, never waits. */
export type Audit = { record(event: AuditEvent): void };
