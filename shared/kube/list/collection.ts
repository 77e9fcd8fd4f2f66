import type { KubeObject } from '../http/kube-object.ts';
import type { Page, PageRequest } from './list-page.ts';
import type { Resource } from '../http/status-error.ts';
import type { Printer } from './printer.ts';
import type { Watched } from '../feed/watched.ts';

/** The objects of one kind that a request selects: what GET of a list, with and without `watch`, shows. */
export type Collection<T extends KubeObject = KubeObject> = {
  readonly resource: Resource;
  /** `batch/v1` */
  readonly apiVersion: string;
  readonly printer: Printer<T>;
  /** One page, in an order that does not change while a client pages through: `limit` objects unless it is the last. */
  list(page: PageRequest): Promise<Page<T>>;
  /** For one watch: it remembers what was sent. */
  watch(): Watched<T>;
  /** Nothing more will happen to the object by itself. Watches that cannot be streamed do not wait for such objects. */
  readonly isOver?: (object: T) => boolean;
};
