import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { metaOf } from './request-meta.ts';

export type RequestLog = Pick<Logger, 'info' | 'warn' | 'error'>;

/** A request with a verified key, which the counters of the key count. */
export type KeyRequest = {
  orgId: string;
  keyId: string;
  id: string;
  at: Date;
  method: string;
  /** The pattern of the route, not the path. */
  route: string;
  /**
   * The target of the request, as the caller sent it. Before the target is stored, every part that may not be stored is
   * removed.
   */
  target: string;
  status: number;
  code: string | null;
  ms: number;
};
export type CountRequest = (request: KeyRequest) => void;

const LOG = Symbol('request log');
const COUNT = Symbol('request counter');
type Logged = ServerResponse & { [LOG]: RequestLog; [COUNT]: CountRequest | undefined };

/**
 * Writes one log line per request when its response is sent or its connection is closed. The line contains no header
 * value, no body and no query. The line contains the pattern of the route instead of the path.
 */
export function logWhenClosed(response: ServerResponse, log: RequestLog, count?: CountRequest): void {
  (response as Logged)[LOG] = log;
  (response as Logged)[COUNT] = count;
  response.on('close', writeLine);
}

/** One function handles all requests, because a closure per request would take longer than the log line. */
function writeLine(this: ServerResponse): void {
  const meta = metaOf(this.req)!;
  const status = this.statusCode;
  const ms = Math.round((performance.now() - meta.startedAt) * 100) / 100;
  const line = {
    request_id: meta.id,
    method: this.req.method,
    route: meta.route,
    status,
    code: meta.code,
    ms,
    key_id: meta.keyId,
    org_id: meta.orgId,
    // The caller closed the connection before the whole response was sent.
    cut_off: this.writableFinished ? undefined : true,
  };
  meta.span?.set({ 'http.response.status_code': status, 'parley.problem': meta.code });
  meta.span?.end(status >= 500 ? (meta.code ?? `${status}`) : null);
  const { [LOG]: log, [COUNT]: count } = this as Logged;
  if (count && meta.keyId !== null && meta.orgId !== null) {
    count({
      orgId: meta.orgId,
      keyId: meta.keyId,
      id: meta.id,
      at: new Date(Date.now() - ms),
      method: this.req.method!,
      route: meta.route ?? '',
      target: this.req.url!,
      status,
      code: meta.code ?? null,
      ms: Math.round(ms),
    });
  }
  if (status >= 500) log.warn(line, 'request');
  else log.info(line, 'request');
}
