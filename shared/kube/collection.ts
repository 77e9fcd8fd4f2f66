import type { Page, PageRequest } from './list-page.ts';
import type { Resource } from './status-error.ts';
import type { WatchSource } from './watch.ts';

/** The objects of one kind that a request is about: what GET of a list, with and without `watch`, shows. */
export type Collection<T> = {
  readonly resource: Resource;
  /** `batch/v1` */
  readonly apiVersion: string;
  /** One page, in an order that does not change while a client pages through. */
  list(page: PageRequest): Promise<Page<T>>;
  watch(): WatchSource<T>;
};
