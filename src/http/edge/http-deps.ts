import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Region } from '../../../contract/regions.ts';
import type { Tracer } from '../../kernel/traces/tracer.ts';
import type { StreamBounds } from '../route/event-stream.ts';
import type { AccessDecisions, Route } from '../route/route.ts';
import type { CountRequest, RequestLog } from './request-log.ts';

export type HttpDeps = {
  /** All routes except the routes of the HTTP room (health, reference, …), which server.ts adds. */
  readonly routes: readonly Route[];
  readonly access: AccessDecisions;
  readonly region: Region;
  /** The base URL of this region, without a trailing slash. */
  readonly baseUrl: string;
  /** The addresses and CIDRs of proxies whose X-Forwarded-For is trusted. By default, no proxy is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly version: string;
  readonly log: RequestLog;
  /** This function is called after every request of a verified key. */
  readonly countRequest?: CountRequest;
  /** Null or absent: tracing is off. */
  readonly tracer?: Tracer | null;
  readonly now: () => number;
  /** Checks whether this node can serve requests, which needs a reachable and migrated database. */
  readonly ready: () => Promise<{ ok: boolean; detail: string }>;
  readonly checkAnswers?: boolean;
  readonly timeouts?: Partial<Timeouts>;
  readonly streams?: Partial<StreamBounds>;
};

export type Timeouts = {
  readonly requestMs: number;
  readonly checkMs: number;
  readonly keepAliveMs: number;
  readonly drainMs?: number;
};

/** This function starts the whole server. */
export type Dispatch = (request: IncomingMessage, response: ServerResponse) => void;
