import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import type { Problems } from './problems.ts';
import { type CountRequest, logWhenClosed, type RequestLog } from './request-log.ts';
import { setMeta } from './request-meta.ts';

type GateDeps = {
  problems: Problems;
  log: RequestLog;
  baseUrl: string;
  isDraining: () => boolean;
  count?: CountRequest | undefined;
};

/** The time is a year, the minimum for the preload lists of browsers. */
const HSTS = 'max-age=31536000';

/**
 * The gate handles every request before routing. The gate sets the request ID. The gate refuses a request if two
 * parsers could understand its bytes differently (two Host headers, a target that is not a path, a request line without
 * a version, …). Node's parser accepts ambiguous requests, but a proxy in front of Parley may not (RFC 9112, section
 * 11).
 */
export function createGate({ problems, log, baseUrl, isDraining, count }: GateDeps) {
  const secureHost = baseUrl.startsWith('https:') ? new URL(baseUrl).host : null;
  return (handle: (request: IncomingMessage, response: ServerResponse) => void) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const authorization: string[] = [];
      setMeta(request, {
        id: newId('req'),
        startedAt: performance.now(),
        authorization,
        route: null,
        keyId: null,
        orgId: null,
        code: undefined,
      });
      logWhenClosed(response, log, count);
      // The header is sent only under the configured name, because other names may reach the same node over http, for
      // example from its own machine.
      if (secureHost !== null && request.headers.host?.toLowerCase() === secureHost)
        response.setHeader('strict-transport-security', HSTS);
      if (isDraining()) response.shouldKeepAlive = false;
      const fault = inspect(request, authorization);
      if (fault === null) handle(request, response);
      else {
        response.shouldKeepAlive = false;
        problems.write(response, new Refusal('request_invalid', fault));
      }
    };
}

/** Reads the raw headers once. Returns the fault, if the headers have one, and collects the Authorization headers. */
function inspect(request: IncomingMessage, authorization: string[]): string | null {
  if (request.httpVersionMajor !== 1) return 'The request line must end with HTTP/1.1.';
  const target = request.url!;
  if (target.charCodeAt(0) !== SLASH) return 'The request target must be a path that starts with a slash.';
  if (target.includes('#')) return 'The request target must not contain a fragment.';
  const raw = request.rawHeaders;
  let hosts = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    // The function compares the length first, so that most headers need only one comparison.
    if (name.length === 4) {
      if (!isNamed(name, 'host')) continue;
      if (++hosts > 1) return 'There must be exactly one Host header.';
      if (!HOST.test(raw[i + 1]!)) return 'The Host header does not name a host.';
    } else if (name.length === 13) {
      if (isNamed(name, 'authorization')) authorization.push(raw[i + 1]!);
    } else if (name.length === 17) {
      if (isNamed(name, 'transfer-encoding') && raw[i + 1]!.toLowerCase() !== 'chunked')
        return 'The only supported Transfer-Encoding is "chunked".';
    }
  }
  if (hosts === 0 && request.httpVersionMinor !== 0) return 'There must be exactly one Host header.';
  return null;
}

const SLASH = 47;
const HOST = /^[\w.~!$&'()*+,;=:[\]-]{1,255}$/;

const isNamed = (name: string, wanted: string): boolean => name === wanted || name.toLowerCase() === wanted;
