import type { IncomingMessage } from 'node:http';
import type { Span } from '../../kernel/traces/tracer.ts';

/** What is known about a request from its first byte, before and outside of the framework. */
export type RequestMeta = {
  readonly id: string;
  readonly startedAt: number;
  /** Every Authorization header as sent; Node itself keeps the first one and hides the others. */
  readonly authorization: string[];
  /** The route's pattern, never the path: a path may hold personal identifiers. */
  route: string | null;
  keyId: string | null;
  orgId: string | null;
  /** The code of the problem in the answer. */
  code: string | undefined;
  /** Of a call with a verified key, where traces are on. */
  span?: Span;
};

const META = Symbol('request meta');
type Marked = IncomingMessage & { [META]?: RequestMeta };

export const setMeta = (raw: IncomingMessage, meta: RequestMeta): void => {
  (raw as Marked)[META] = meta;
};

export const metaOf = (raw: IncomingMessage): RequestMeta | undefined => (raw as Marked)[META];
