import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { metaOf } from './request-meta.ts';

export type RequestLog = Pick<Logger, 'info' | 'warn' | 'error'>;

const LOG = Symbol('request log');
type Logged = ServerResponse & { [LOG]: RequestLog };

/**
 * One line a request, written when its answer has left or its connection has gone. It holds no header value, no body
 * and no query; the pattern of the route stands for the path.
 */
export function logWhenClosed(response: ServerResponse, log: RequestLog): void {
  (response as Logged)[LOG] = log;
  response.on('close', writeLine);
}

/** One function for all requests: a closure for each would cost more than the line. */
function writeLine(this: ServerResponse): void {
  const meta = metaOf(this.req)!;
  const status = this.statusCode;
  const line = {
    request_id: meta.id,
    method: this.req.method,
    route: meta.route,
    status,
    code: meta.code,
    ms: Math.round((performance.now() - meta.startedAt) * 100) / 100,
    key_id: meta.keyId,
    org_id: meta.orgId,
    // The caller hung up before the whole answer was out.
    cut_off: this.writableFinished ? undefined : true,
  };
  const log = (this as Logged)[LOG];
  if (status >= 500) log.warn(line, 'request');
  else log.info(line, 'request');
}
