import type { IncomingMessage } from 'node:http';
import type { Span } from '../../kernel/traces/tracer.ts';

/** The facts about a request that are known from its first byte, outside of the framework. */
export type RequestMeta = {
  readonly id: string;
  readonly startedAt: number;
  /**
   * Every Authorization header as the caller sent it. If several headers have one name, Node uses the first header and
   * hides the other headers.
   */
  readonly authorization: string[];
  /** The route's pattern, never the path, because a path may contain personal identifiers. */
  route: string | null;
  keyId: string | null;
  orgId: string | null;
  /** The code of the problem in the response, if there is one. */
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
