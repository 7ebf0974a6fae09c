import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { MAX_BODY_BYTES } from '../../../contract/limits.ts';
import { PROBLEMS, Refusal, type ProblemBody, type ProblemCode } from '../../../contract/problems.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { retryAfterOf } from '../../kernel/retry-after.ts';
import { formatOf, type ProblemFormat } from './problem-formats.ts';
import { metaOf } from './request-meta.ts';

/**
 * The only format for errors (RFC 9457). Errors come from four places: refusals before routing, the framework,
 * handlers, and sockets without a readable request. All four sources of errors use this file.
 */
export type Problems = {
  /**
   * Responds with the thrown error. A lost database becomes 503. Any other error that is not a Refusal becomes 500 and
   * is logged.
   */
  answer(reply: FastifyReply, error: unknown): void;
  /** Writes the error body without the framework. */
  write(response: ServerResponse, error: unknown, headers?: Record<string, unknown>): void;
  /** Responds on a socket without a readable request, and then closes the socket. */
  writeToSocket(socket: Duplex, refusal: Refusal, requestId: string): void;
};

/**
 * The rest of a body that is too large is read and discarded for this time, so that its sender can read the response.
 */
const LINGER_MS = 2_000;

/** Errors with the listed codes are no faults of the installation. The log of the worker says why a run failed. */
const EXPECTED = new Set<ProblemCode>(['unavailable', 'run_failed', 'answer_pending']);

/** A failure of a foreign provider is logged as a warning, because this installation has no fault. */
type Report = (level: 'warn' | 'error', error: unknown, requestId: string) => void;

export function createProblems(baseUrl: string, report: Report): Problems {
  const bodyOf = (refusal: Refusal, requestId: string, { bodyOf: inFormat }: ProblemFormat): string =>
    JSON.stringify(inFormat(problemBody(refusal, requestId, baseUrl)));

  function write(response: ServerResponse, error: unknown, headers: Record<string, unknown> = {}): void {
    const meta = metaOf(response.req);
    const requestId = meta?.id ?? '';
    const refusal = toRefusal(lostDatabase(response.req.method ?? '', error));
    if (meta) meta.code = refusal.code;
    if (refusal.status >= 500 && !EXPECTED.has(refusal.code))
      report(refusal.code === 'provider_failed' ? 'warn' : 'error', refusal.cause ?? error, requestId);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const format = formatOf(meta?.route ?? response.req.url ?? '');
    const body = bodyOf(refusal, requestId, format);
    const lingers = mustLinger(response.req);
    response.writeHead(refusal.status, {
      ...(headers as Record<string, string>),
      ...problemHeaders(refusal, format),
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(body),
      ...(lingers && { connection: 'close' }),
    });
    if (lingers) writeAndLinger(response, body);
    else response.end(body);
  }

  return {
    write,
    answer(reply, error) {
      if (reply.sent) return;
      const { 'content-type': _type, 'content-length': _length, ...headers } = reply.getHeaders();
      reply.hijack();
      write(reply.raw, error, headers);
    },
    writeToSocket(socket, refusal, requestId) {
      const format = formatOf('');
      const body = bodyOf(refusal, requestId, format);
      const headers = {
        ...problemHeaders(refusal, format),
        'x-request-id': requestId,
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('')}\r\n${body}`);
    },
  };
}

export function problemBody(refusal: Refusal, requestId: string, baseUrl: string): ProblemBody {
  const { code, extras } = refusal;
  return {
    type: `${baseUrl}/docs/problems/${code}`,
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    code,
    detail: refusal.message,
    request_id: requestId,
    ...extras.members,
    ...(extras.errors && { errors: extras.errors }),
  };
}

/** Headers that belong to a problem code, unless the refusing function has set these headers. */
const CODE_HEADERS: Partial<Record<ProblemCode, Record<string, string>>> = {
  authorization_missing: { 'www-authenticate': 'Bearer realm="parley"' },
  key_invalid: { 'www-authenticate': 'Bearer realm="parley", error="invalid_token"' },
  key_wrong_region: { 'www-authenticate': 'Bearer realm="parley", error="invalid_token"' },
  key_revoked: { 'www-authenticate': 'Bearer realm="parley", error="invalid_token"' },
};

function problemHeaders({ code, extras }: Refusal, { type }: ProblemFormat): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...CODE_HEADERS[code],
    ...retryAfterOf(code),
  };
  const required = extras.members?.['required_permission'];
  if (code === 'permission_missing' && typeof required === 'string') {
    headers['www-authenticate'] = `Bearer realm="parley", error="insufficient_scope", scope="${required}"`;
  }
  for (const [name, value] of Object.entries(extras.headers ?? {})) headers[name.toLowerCase()] = value;
  return headers;
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  // A statement failed because its organization is being moved. Drizzle wraps the error of a failed statement.
  if (error instanceof Error && error.cause instanceof Refusal && error.cause.code === 'unavailable')
    return error.cause;
  const code = (error as { code?: unknown } | null)?.code;
  // The router of Fastify could not parse the target.
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new Refusal('request_invalid', 'The path contains invalid percent-encoding.');
  return new Refusal(
    'internal_error',
    'Something went wrong on our side. The log has the details under the request_id.',
    {
      cause: error,
    },
  );
}

/**
 * True if a large or endless body is still arriving. Without a limit, Node would read the whole body. If the connection
 * were closed immediately, the caller would lose the response.
 */
const mustLinger = (request: IncomingMessage): boolean =>
  !request.complete &&
  (request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES);

function writeAndLinger(response: ServerResponse, body: string): void {
  const { req: request } = response;
  response.write(body);
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS).unref();
  request.once('end', finish).once('close', finish);
  request.resume();
}
