import { createServer } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { MAX_BODY_BYTES, MAX_HEADER_BYTES, REQUEST_TIMEOUT_MS } from '../../../contract/limits.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { createClientErrorHandler } from './client-errors.ts';
import { createDrain } from './drain.ts';
import { createEventStreams } from '../route/event-stream.ts';
import { createGate } from './gate.ts';
import { mountRoutes } from '../route/mount-routes.ts';
import { createProblems } from './problems.ts';
import { metaOf } from './request-meta.ts';
import type { Route } from '../route/route.ts';
import { systemRoutes } from '../routes.ts';
import type { Dispatch, HttpDeps } from './http-deps.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * After the call, the server still answers requests, but fails `/ready` and asks every client to leave. Wait for
     * the load balancer after `drain()`, and then call `close()`.
     */
    drain(): void;
    /** Aborts when the server begins to drain, because a call that waits must end before its connection is closed. */
    draining: AbortSignal;
  }
}

/** The server checks for late requests at this interval, so that late requests end within 31 s. */
const CHECK_MS = 1_000;
/**
 * The idle time is longer than the 60 s of common load balancers, because the side that sends requests must be the side
 * that closes.
 */
const KEEP_ALIVE_MS = 72_000;
const MAX_CONNECTIONS = 16_384;
/**
 * A longer path segment cannot arrive within the header limit. A long ID is looked up and not found, like any other
 * unknown ID.
 */
const MAX_SEGMENT_CHARACTERS = MAX_HEADER_BYTES;

export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const { log, timeouts } = deps;
  const problems = createProblems(deps.baseUrl, (level, err, request_id) =>
    log[level]({ err, request_id }, 'request failed'),
  );
  const gate = createGate({
    problems,
    log,
    baseUrl: deps.baseUrl,
    isDraining: () => drain.isDraining(),
    count: deps.countRequest,
  });
  let dispatch: Dispatch | undefined;
  const server = openFastify(deps, problems, (handle) => (dispatch = gate(handle)));
  // The file mount-routes.ts reads the body after the access check. Fastify must read neither a body nor the type of a
  // body.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  const raw = server.server;
  // Node silently drops headers beyond this number, possibly including a second Authorization header. The size limit of
  // the headers already limits their number.
  raw.maxHeadersCount = 0;
  raw.maxConnections = MAX_CONNECTIONS;
  const answerAnyway = raw.listeners('request')[0] as Parameters<typeof createServer>[1] & object;
  raw.on('checkContinue', answerAnyway).on('checkExpectation', answerAnyway);
  raw.on('connect', (_request, socket) =>
    problems.writeToSocket(socket, new Refusal('request_invalid', 'This server is not a proxy.'), newId('req')),
  );
  const drain = createDrain(raw, timeouts?.drainMs);

  const eventStreams = createEventStreams(deps.streams);
  server.decorate('eventStreams', eventStreams);
  const draining = new AbortController();
  server.decorate('draining', draining.signal as never);
  const leave = (): void => {
    drain.drain();
    draining.abort();
    eventStreams.drain();
  };
  server.decorate('drain', leave);
  server.addHook('preClose', (done) => {
    leave();
    drain.beginClose();
    done();
  });
  server.decorateRequest('admission', null as never);
  server.decorateRequest('session', null);
  server.decorateRequest('idempotency', null);
  server.decorateRequest('requestId', {
    getter(this: { id: string }) {
      return this.id;
    },
  } as never);
  server.setErrorHandler((error, _request, reply) => {
    problems.answer(reply, error);
  });
  server.setNotFoundHandler((request, reply) => problems.answer(reply, notFound(server, request.raw.url!)));

  const routes: Route[] = [...deps.routes];
  routes.push(
    ...systemRoutes({
      ...deps,
      allRoutes: () => routes,
      isDraining: drain.isDraining,
      dispatch: (request, response) => dispatch!(request, response),
    }),
  );
  const { access, tracer = null, checkAnswers = false } = deps;
  mountRoutes(server, routes, { access, problems, tracer, checkAnswers });
  return server;
}

/** `wrap`: the gate around Fastify's work on a request. */
function openFastify(
  { log, timeouts = {}, trustedProxies }: HttpDeps,
  problems: ReturnType<typeof createProblems>,
  wrap: (handle: Dispatch) => Dispatch,
): FastifyInstance {
  const requestTimeout = timeouts.requestMs ?? REQUEST_TIMEOUT_MS;
  return fastify({
    serverFactory: (handle) =>
      createServer(
        {
          maxHeaderSize: MAX_HEADER_BYTES,
          requestTimeout,
          headersTimeout: requestTimeout,
          keepAliveTimeout: timeouts.keepAliveMs ?? KEEP_ALIVE_MS,
          connectionsCheckingInterval: timeouts.checkMs ?? CHECK_MS,
          // Node would answer a missing Host in its own format, so the gate refuses it instead.
          requireHostHeader: false,
          insecureHTTPParser: false,
          // A request without a body needs no stream.
          optimizeEmptyRequests: true,
        },
        wrap(handle),
      ),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    bodyLimit: MAX_BODY_BYTES,
    logger: false,
    trustProxy: trustedProxies?.length ? [...trustedProxies] : false,
    clientErrorHandler: createClientErrorHandler(problems, log),
    genReqId: (raw) => metaOf(raw)!.id,
    frameworkErrors: (error, _request, reply) => problems.answer(reply, error),
    routerOptions: {
      maxParamLength: MAX_SEGMENT_CHARACTERS,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      caseSensitive: true,
      // Routes with a query parse it strictly, in their own code.
      querystringParser: (text) => text as never,
    },
  });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * If a path exists for other methods, the response is 405 and lists these methods. The response reveals nothing else
 * about the path.
 */
function notFound(server: FastifyInstance, target: string): Refusal {
  const path = target.split('?', 1)[0]!;
  const allowed = METHODS.filter((method) => {
    const found = server.findRoute({ method, url: path }) as { params?: object } | null;
    // The dashboard's pages match every other path, so they do not count as paths of the API.
    return found !== null && !Object.hasOwn(found.params ?? {}, '*');
  });
  if (allowed.length === 0) return new Refusal('route_not_found', 'There is nothing at this path.');
  if (allowed.includes('GET')) allowed.splice(1, 0, 'HEAD');
  const allow = allowed.join(', ');
  return new Refusal('method_not_allowed', `This path supports ${allow}.`, { headers: { allow } });
}
