import type { IncomingMessage } from 'node:http';
import type { Span } from '../../kernel/traces/tracer.ts';

/** The known facts about a request from its first byte, before and outside of the framework. */
export type RequestMeta = {
  readonly id: string;
  readonly startedAt: number;
  /** Every Authorization header in its original form. Node itself uses the first one and hides the others. */
  readonly authorization: string[];
  /** The route's pattern, never the path, because a path may contain personal identifiers. */
  route: string | null;
  keyId: string | null;
  orgId: string | null;
  /** The code of the problem in the response. */
  code: string | undefined;
  /** The span of a call with a verified key, if tracing is on. */
  span?: Span;
};

const META = Symbol('request meta');
type Marked = IncomingMessage & { [META]?: RequestMeta };

export const setMeta = (raw: IncomingMessage, meta: RequestMeta): void => {
  (raw as Marked)[META] = meta;
};

export const metaOf = (raw: IncomingMessage): RequestMeta | undefined => (raw as Marked)[META];
