import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { PROBLEMS, type ProblemCode, Refusal } from '../../../contract/problems.ts';
import type { Admission, Need } from '../../access/types.ts';
import { type UploadMemory, createUploadMemory } from '../edge/upload-memory.ts';
import { readJsonBody, readRawBody } from '../edge/body.ts';
import type { Span, Tracer } from '../../kernel/traces/tracer.ts';
import { letOwnPageRead, mountPreflight, refuseKeyOfPage } from './client-pages.ts';
import { idempotencyOf } from './idempotency-key.ts';
import { namesOf } from './names-of-end-user.ts';
import type { Problems } from '../edge/problems.ts';
import { compileMisplaced, compileQuery } from './query.ts';
import { metaOf } from '../edge/request-meta.ts';
import {
  answerSchema,
  isKeyRoute,
  successStatus,
  type AccessDecisions,
  type RateState,
  type Route,
  type SessionGuard,
} from './route.ts';
import { EmptyObject, compileBody, type Check } from '../../kernel/validation/validate.ts';

export type Mounting = {
  readonly access: AccessDecisions;
  readonly problems: Problems;
  readonly tracer: Tracer | null;
  /** True in tests: validates every answer against its declared schema. */
  readonly checkAnswers: boolean;
};

/**
 * A body that takes longer to arrive is slow, so access is checked again after it. Otherwise, a caller who lost access
 * could act for half a minute by sending slowly.
 */
export const SLOW_BODY_MS = 100;

/**
 * Mounts each declared route, with access and rate limit in onRequest, and then body, schema, and the route's own
 * handler.
 */
export function mountRoutes(server: FastifyInstance, routes: readonly Route[], mounting: Mounting): void {
  const uploadMemory = createUploadMemory();
  for (const route of routes) {
    refuseWithoutAccess(route);
    const guard = guardOf(route, mounting);
    server.route({
      method: route.method,
      url: route.path,
      onRequest: admission(route, guard, mounting),
      handler: handling(route, guard, mounting, uploadMemory),
    });
    if (isKeyRoute(route.access) && route.access.client) mountPreflight(server, route);
  }
}

function refuseWithoutAccess({ method, path, access }: Route): void {
  if (access === undefined || access === null)
    throw new Error(
      `${method} ${path} declares no access rule. Say who may call it: "access: 'public'" if all callers may.`,
    );
}

type OnRequest = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/**
 * Checks rows 1 to 12 of the order of checks (docs/security.md) before any byte of the body is read. The check is
 * synchronous if access answers from memory.
 */
function admission(route: Route, guard: Guard | null, { problems }: Mounting): OnRequest {
  return (request, reply, done) => {
    const meta = metaOf(request.raw)!;
    meta.route = route.path;
    reply
      .header('x-request-id', meta.id)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store');
    if (guard === null) {
      done();
      return;
    }
    const refuse = (error: unknown): void => {
      if (error instanceof Refusal && error.extras.caller) Object.assign(meta, error.extras.caller);
      problems.answer(reply, error);
      giveBack(request);
    };
    try {
      const waiting = guard(request, reply, false);
      if (waiting === undefined) done();
      // oxlint-disable-next-line promise/no-callback-in-promise -- the hook continues either way
      else waiting.then(() => done(), refuse);
    } catch (error) {
      refuse(error);
    }
  };
}

/**
 * A refused call gives its unit of the key's total back. A call with an unknown outcome counts, because it may have
 * been accepted.
 */
function giveBack({ admission, raw }: FastifyRequest): void {
  // A request without a status failed after the response had begun.
  const code = (metaOf(raw)?.code ?? null) as ProblemCode | null;
  if (code !== null && (PROBLEMS[code].status < 500 || code === 'unavailable')) admission?.counted?.giveBack();
}

/**
 * `isAgain`: the call was admitted earlier and does not count again. The result undefined: access was granted
 * immediately.
 */
type Guard = (request: FastifyRequest, reply: FastifyReply, isAgain: boolean) => Promise<void> | undefined;

function guardOf(route: Route, mounting: Mounting): Guard | null {
  const need = route.access;
  if (need === 'public') return null;
  return isKeyRoute(need) ? keyGuard(need, route, mounting) : sessionGuard(need.session);
}

function keyGuard(need: Need, route: Route, { access, tracer }: Mounting): Guard {
  const { limit = null } = route;
  // A tool of /mcp is called as a separate request, which counts.
  const isCounted = route.path.startsWith('/api/');
  const admitted = (request: FastifyRequest, reply: FastifyReply, admission: Admission): Promise<void> | undefined => {
    const meta = metaOf(request.raw)!;
    meta.keyId = admission.caller.keyId;
    meta.orgId = admission.caller.orgId;
    request.admission = admission;
    if (tracer !== null) meta.span = spanOf(tracer, route, request, admission);
    refuseControlCharacters(request);
    if (need.client) refuseKeyOfPage(request, admission);
    const hasOwn = isCounted && typeof admission.caller.limits?.perMinute === 'number';
    if (limit === null && !hasOwn && admission.caller.client === undefined) return undefined;
    const state = access.limit(admission.caller, limit);
    if (state instanceof Promise) return state.then((known) => setRate(reply, known));
    setRate(reply, state);
    return undefined;
  };
  return (request, reply, isAgain) => {
    const { authorization } = metaOf(request.raw)!;
    if (need.client && !isAgain) letOwnPageRead(request, reply, access);
    const admission = access.admit(
      authorization,
      need,
      request.params as Record<string, string>,
      request.ip,
      isCounted && !isAgain,
      request.headers.origin,
    );
    if (isAgain) return readmit(request, admission);
    return admission instanceof Promise
      ? admission.then((known) => admitted(request, reply, known))
      : admitted(request, reply, admission);
  };
}

/** The call keeps the units that it took when it was admitted. */
async function readmit(request: FastifyRequest, admission: Admission | Promise<Admission>): Promise<void> {
  request.admission = { ...request.admission, ...(await admission) };
}

/**
 * Only a verified key begins or continues a trace. The span contains no path, because a path may contain IDs of people.
 */
const spanOf = (tracer: Tracer, { method, path }: Route, { raw, id }: FastifyRequest, { caller }: Admission): Span =>
  tracer.span(
    `${method} ${path}`,
    'server',
    { caller: String(raw.headers['traceparent'] ?? '') },
    {
      'http.request.method': method,
      'http.route': path,
      'parley.request.id': id,
      'parley.organization.id': caller.orgId,
      'parley.key.id': caller.keyId,
    },
  );

const setRate = (reply: FastifyReply, rate: RateState): void => {
  reply.header('ratelimit-policy', rate.policy).header('ratelimit', rate.state);
};

const sessionGuard =
  (guard: SessionGuard): Guard =>
  (request, reply, isAgain) => {
    const session = guard(request, reply, isAgain);
    if (!(session instanceof Promise)) {
      request.session = session;
      refuseControlCharacters(request);
      return undefined;
    }
    return session.then((known: unknown) => {
      request.session = known;
      return refuseControlCharacters(request);
    });
  };

/** Only percent-encoding can add control characters, and no ID contains one. The database must never get a NUL. */
function refuseControlCharacters(request: FastifyRequest): void {
  if (!request.raw.url!.includes('%')) return;
  // oxlint-disable-next-line eslint/no-control-regex
  if (Object.values(request.params as object).some((value) => /[\0-\x1f\x7f]/.test(String(value))))
    throw new Refusal('request_invalid', 'The path contains a control character.');
}

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Runs rows 13 and 14 of the order of checks, and then the handler. A route without body and query needs no extra
 * promise.
 */
function handling(
  route: Route,
  guard: Guard | null,
  { access, problems, checkAnswers }: Mounting,
  uploadMemory: UploadMemory,
) {
  const { handle, reaches } = route;
  const status = successStatus(route);
  const { rawBody } = route;
  const need = isKeyRoute(route.access) ? route.access : null;
  const takesBody =
    rawBody === undefined && (route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH');
  const checkBody = takesBody ? compileBody(route.body ?? EmptyObject) : null;
  const readQuery = route.query ? compileQuery(route.query) : null;
  const checkQuery = takesBody && !route.query ? compileMisplaced(route.body) : null;
  const checks = checkAnswers ? compileAnswers(route) : null;

  const answer = (reply: FastifyReply, result: unknown): FastifyReply => {
    // The headers were sent for a stream, whose response may never end after its reader has left.
    if (result === reply || reply.sent || reply.raw.headersSent) return reply;
    if (result === undefined || result === null) return reply.send();
    checks?.(reply.statusCode, result);
    return reply.type(JSON_TYPE).send(typeof result === 'string' ? result : JSON.stringify(result));
  };
  const run = (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (status !== 200) reply.code(status);
    const result = handle(request, reply);
    return result instanceof Promise ? result.then((known: unknown) => answer(reply, known)) : answer(reply, result);
  };
  const readThenRun = async (request: FastifyRequest, reply: FastifyReply, check: Check): Promise<FastifyReply> => {
    const optional = route.body === undefined || route.bodyOptional === true;
    const { value, bytes } = await readJsonBody(request.raw, reply.raw, {
      optional,
      maxKeys: route.bodyKeys,
      maxBytes: route.bodyBytes,
    });
    if (hadSlowBody(request)) await guard?.(request, reply, true);
    if (readQuery) request.query = readQuery(request.query as string);
    checkQuery?.(request.query as string);
    check(value);
    const caller = need === null ? null : request.admission.caller;
    if (reaches !== undefined && caller !== null && typeof caller.limits?.perEndUserPerMinute === 'number')
      await access.limitEndUser(caller, caller.client ? namesOf(caller.client.endUser) : reaches(value as never));
    request.body = value;
    if (route.idempotent) request.idempotency = idempotencyOf(request.raw, bytes, caller?.client);
    return run(request, reply);
  };

  const readRawThenRun = async (request: FastifyRequest, reply: FastifyReply, maxBytes: number) => {
    const { org_id: named } = request.params as { org_id?: string };
    // Strangers can send a report of leaked keys, so all reports together use limited memory.
    const group = named ?? metaOf(request.raw)!.orgId ?? (route.access === 'public' ? route.path : null);
    const upload = group === null ? undefined : uploadMemory.open(group);
    request.body = await readRawBody(request.raw, reply.raw, maxBytes, upload);
    if (hadSlowBody(request)) await guard?.(request, reply, true);
    return run(request, reply);
  };

  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    try {
      // With a JSON body, row 13 comes before the query.
      if (readQuery && checkBody === null) request.query = readQuery(request.query as string);
      if (rawBody !== undefined)
        return readRawThenRun(request, reply, rawBody).catch((error: unknown) => refused(reply, error));
      const sent = checkBody ? readThenRun(request, reply, checkBody) : run(request, reply);
      return sent instanceof Promise ? sent.catch((error: unknown) => refused(reply, error)) : sent;
    } catch (error) {
      return refused(reply, error);
    }
  };

  function refused(reply: FastifyReply, error: unknown): FastifyReply {
    problems.answer(reply, error);
    giveBack(reply.request);
    return reply;
  }
}

const hadSlowBody = ({ raw }: FastifyRequest): boolean => performance.now() - metaOf(raw)!.startedAt > SLOW_BODY_MS;

/** Only tests validate answers, because an engineer sees the fault in a test. */
function compileAnswers(route: Route): (status: number, body: unknown) => void {
  const checks = new Map(
    Object.entries(route.responses).map(([status, answer]) => {
      const schema = answerSchema(answer);
      return [Number(status), schema && compileBody(schema)];
    }),
  );
  return (status, body) => {
    const check = checks.get(status);
    if (!check) throw new Error(`${route.method} ${route.path} answers ${status}, which it does not declare`);
    try {
      check(typeof body === 'string' ? JSON.parse(body) : JSON.parse(JSON.stringify(body)));
    } catch (error) {
      const faults = error instanceof Refusal ? JSON.stringify(error.extras.errors) : String(error);
      throw new Error(`The ${status} of ${route.method} ${route.path} breaks its schema: ${faults}`, { cause: error });
    }
  };
}
