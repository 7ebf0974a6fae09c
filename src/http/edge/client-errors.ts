import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import type { Problems } from './problems.ts';
import type { RequestLog } from './request-log.ts';
import { metaOf } from './request-meta.ts';

type ParserError = Error & { code?: string };
/** Node stores the response in progress on the socket, for which no public API exists. */
type BusySocket = Socket & { _httpMessage?: ServerResponse | null };

/** Handles bytes that Node's parser could not read as a request, and requests that did not arrive in time. */
export function createClientErrorHandler(problems: Problems, log: RequestLog) {
  return (error: ParserError, socket: BusySocket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const answer = socket._httpMessage;
    // The invalid bytes follow a complete request, so the response to this request is sent first, and then the
    // connection is ended.
    if (answer && answer.req.complete && !answer.writableEnded) {
      answer.shouldKeepAlive = false;
      answer.once('finish', () => socket.destroySoon());
      return;
    }
    // The socket is already sending a response, such as the refusal of this request, so no other response may follow.
    if (answer?.headersSent && !answer.writableFinished) {
      socket.destroySoon();
      return;
    }
    const refusal = refusalFor(error);
    const requestId = requestIdOf(answer?.req) ?? newId('req');
    if (answer) answer.statusCode = refusal.status;
    else log.info({ request_id: requestId, method: null, route: null, status: refusal.status, ms: null }, 'request');
    problems.writeToSocket(socket, refusal, requestId);
  };
}

const requestIdOf = (request: IncomingMessage | undefined): string | undefined => request && metaOf(request)?.id;

function refusalFor(error: ParserError): Refusal {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('request_timeout');
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('headers_too_large');
    default:
      return new Refusal('request_invalid');
  }
}
