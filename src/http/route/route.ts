import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { RateFamily } from '../../../contract/limits.ts';
import type { ProblemCode } from '../../../contract/problems.ts';
import type { Admission, Caller, Need } from '../../access/types.ts';

/**
 * One endpoint, declared whole: who may call it, what it takes, what it answers, and what the reference says about it.
 * mount-routes.ts makes it run, openapi.ts makes it readable; nothing about an endpoint is written twice.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Fastify's style: `/api/triggers/:agent_id/:trigger_id`. */
  readonly path: string;
  /** Rows 1–11. A route without it stops the server at start. */
  readonly access: RouteAccess;
  /** Row 12; absent: not limited. */
  readonly limit?: RateFamily;
  readonly operation: Operation;
  /** Rows 13 and 14. Absent on POST, PUT and PATCH: nothing, or the empty object. */
  readonly body?: TSchema;
  /** The body may be left out and is then read as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * The body is handed over as it came (`request.body` is a Buffer), at most so many bytes: for hooks whose signature is
   * over the raw bytes. Rows 13 and 14 are then the handler's.
   */
  readonly rawBody?: number;
  /** More keys than the usual 1,000, for bodies that carry many records. */
  readonly bodyKeys?: number;
  /** More bytes than the usual 256 KiB, for documents. */
  readonly bodyBytes?: number;
  /** An object of strings, integers, booleans and enumerations; absent: the query is ignored. */
  readonly query?: TSchema;
  /** Request headers that the handler itself reads, for the reference: name → what it does. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The call acts once per `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Body per status of success; `null`: no body. The lowest one is what a handler's plain return value answers with. */
  readonly responses: Readonly<Record<number, Answer | null>>;
  /** Refusals of the route's own, besides those that follow from the declarations above. */
  readonly problems?: readonly ProblemCode[];
  /** Returns the body (an object, or JSON text made before), or answers with `reply` and returns it. */
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
};

export type RouteAccess = Need | 'public' | { readonly session: SessionGuard };

/**
 * Decides for routes of people: throws a Refusal, or its result becomes `request.session`. Runs before the body is read;
 * headers that it sets are on refusals too.
 */
export type SessionGuard = (request: FastifyRequest, reply: FastifyReply) => unknown;

export type Answer =
  | TSchema
  | { readonly schema: TSchema; readonly description?: string; readonly headers?: Record<string, string> };

export type Operation = {
  /** Unique, stable: generated clients make their method name of it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Left out of the public reference: the dashboard's own endpoints. */
  readonly hidden?: boolean;
  /** An example body, checked against the schema by the tests. */
  readonly example?: unknown;
  /** An example answer per status, checked as well. */
  readonly examples?: Readonly<Record<number, unknown>>;
};

/** Values of the RateLimit-Policy and RateLimit headers (IETF draft-ietf-httpapi-ratelimit-headers). */
export type RateState = { readonly policy: string; readonly state: string };

/** What the routes need of the access room: `Access` is one. */
export type AccessDecisions = {
  admit(
    authorization: readonly string[],
    need: Need,
    params: Readonly<Record<string, string>>,
    address: string | undefined,
  ): Admission | Promise<Admission>;
  limit(caller: Caller, family: RateFamily): RateState | Promise<RateState>;
};

/** Digests that decide whether two calls are the same call (contract, section 6). */
export type Idempotency = {
  /** SHA-256 of method, path and key; the organization is added by who stores it. */
  readonly scope: Buffer;
  /** SHA-256 of the body's bytes as sent. */
  readonly request: Buffer;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls and what the path names. Null on public and dashboard routes, which have no key. */
    admission: Admission;
    /** What the session guard of a dashboard route returned. */
    session: unknown;
    /** `req_…`, the same as in X-Request-Id, the error body and the log line. */
    readonly requestId: string;
    /** Null when the caller sent no Idempotency-Key. */
    idempotency: Idempotency | null;
  }
}

export const isKeyRoute = (access: RouteAccess): access is Need => access !== 'public' && !('session' in access);

export const answerSchema = (answer: Answer | null): TSchema | null =>
  answer === null ? null : 'schema' in answer ? answer.schema : answer;

/** The status that a handler's plain return value is sent with. */
export const successStatus = (route: Route): number => Math.min(...Object.keys(route.responses).map(Number));
