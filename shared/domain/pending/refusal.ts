/** What ECS lacked when it refused a launch, as far as its text says. */
export type RefusalCause =
  /** an account's limit: a request to AWS raises it, or tasks must end */
  | 'quota'
  /** Fargate (or a cluster's machines) has no capacity */
  | 'capacity'
  /** no network interface or address in the subnets */
  | 'network'
  /** a permission, a role, or a network of the installation */
  | 'installation'
  /** too many calls */
  | 'throttled'
  /** something else, which its text describes */
  | 'refused';

type Row = { readonly cause: RefusalCause; readonly text: RegExp };

/**
 * Texts of failures and exceptions (aws.md 1.3, 1.5). ECS writes a typographic apostrophe ("You’ve reached the limit"), so
 * only words are matched. The first matching row counts: EC2's throttling is wrapped in sentences about subnets.
 */
const TEXTS: readonly Row[] = [
  { cause: 'throttled', text: /rate exceeded|request limit exceeded|throttl|too many (requests|concurrent attempts)/i },
  {
    cause: 'installation',
    text: /AccessDenied|not authorized|role is not valid|assume the |service.linked role|ClusterNotFound|BlockedException|(subnet|security ?group).*(not exist|not found|invalid)|TaskDefinition (is inactive|not found)/i,
  },
  { cause: 'quota', text: /reached the limit on the number of|above your limit|vcpu limit|quota|limit ?exceeded/i },
  { cause: 'network', text: /RESOURCE:(ENI|PORTS)|network interface|free (ip )?address|insufficient free/i },
  {
    cause: 'capacity',
    text: /capacity is unavailable|RESOURCE:|insufficient capacity|\bAGENT\b|\bATTRIBUTE\b|LOCATION/i,
  },
];

/** Classifies the text of a refused launch. */
export const refusalCause = (text: string): RefusalCause =>
  TEXTS.find(({ text: pattern }) => pattern.test(text))?.cause ?? 'refused';
