import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { RateFamily } from '../../../contract/limits.ts';
import type { ProblemCode } from '../../../contract/problems.ts';
import type { Admission, Caller, Need } from '../../access/types.ts';

/**
 * The complete declaration of one endpoint: who may call it, its input, its answers, and its text in the reference.
 * mount-routes.ts runs it, and openapi.ts documents it, so no fact about an endpoint is written twice.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Fastify's style: `/api/triggers/:agent_id/:trigger_id`. */
  readonly path: string;
  /** Rows 1–11 of the order of checks (docs/security.md). A route without access stops the server at start. */
  readonly access: RouteAccess;
  /** Row 12, the rate limit. Absent: only the limits of the key itself. */
  readonly limit?: RateFamily;
  /** All names of the one person whom the call reaches, for the key's limit per end user. */
  readonly reaches?: (body: never) => readonly string[];
  readonly operation: Operation;
  /** Rows 13 and 14. Absent on POST, PUT and PATCH: an empty body, or the empty object. */
  readonly body?: TSchema;
  /** The body may be absent and then counts as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * The handler gets the raw body (`request.body` is a Buffer), at most this many bytes: for webhooks whose signature
   * covers the raw bytes. Rows 13 and 14 are then the handler's task.
   */
  readonly rawBody?: number;
  /** More keys than the usual 1,000, for bodies with many records. */
  readonly bodyKeys?: number;
  /** More bytes than the usual 256 KiB, for documents. */
  readonly bodyBytes?: number;
  /** An object of strings, integers, booleans and enumerations. Absent: the query is ignored, except for fields of the body. */
  readonly query?: TSchema;
  /** Request headers that the handler itself reads, by name. */
  readonly headers?: Readonly<Record<string, RequestHeader>>;
  /** The call acts once per `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Body per success status. `null`: no body. A handler's plain return value is sent with the lowest status. */
  readonly responses: Readonly<Record<number, Answer | null>>;
  /** Refusals that only this route has, besides those that follow from its declaration. */
  readonly problems?: readonly ProblemCode[];
  /** Returns the body (an object, or JSON text), or answers with `reply` and returns it. */
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
};

export type RequestHeader = {
  /** The effect, for the reference. */
  readonly description: string;
  /** The same choice as an argument of the tool (MCP), because a tool call has no headers. */
  readonly argument?: {
    readonly name: string;
    readonly schema: TSchema;
    readonly toHeader: (given: unknown) => string;
  };
};

export type RouteAccess = Need | 'public' | { readonly session: SessionGuard };

/**
 * Access for routes of people: throws a Refusal, or its result becomes `request.session`. Runs before the body is read.
 * The headers that `access` sets are also sent with refusals.
 */
export type SessionGuard = (request: FastifyRequest, reply: FastifyReply) => unknown;

export type Answer =
  | TSchema
  | {
      readonly schema: TSchema;
      readonly description?: string;
      readonly headers?: Record<string, string>;
      /** Callers that ask for it get a stream of these events instead. */
      readonly events?: Events;
      readonly exampleEvents?: readonly ExampleEvent[];
    }
  | {
      readonly description?: string;
      readonly headers?: Record<string, string>;
      readonly events: Events;
      readonly exampleEvents: readonly ExampleEvent[];
    };

/** The data of each event of a stream, by the name of the event. */
export type Events = Readonly<Record<string, TSchema>>;
export type ExampleEvent = { readonly event: string; readonly id?: string; readonly data: unknown };

export type Operation = {
  /** Unique and stable: generated clients derive their method name from it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Hidden from the public reference: the dashboard's own endpoints. */
  readonly hidden?: boolean;
  /** An example body. Tests check the example against the schema. */
  readonly example?: unknown;
  /** An example answer per status. For a union, an object with a named example of each. Tests validate all of them. */
  readonly examples?: Readonly<Record<number, unknown>>;
};

/** Values of the RateLimit-Policy and RateLimit headers (IETF draft-ietf-httpapi-ratelimit-headers). */
export type RateState = { readonly policy: string; readonly state: string };

/** What the routes need from the access room: `Access` implements it. */
export type AccessDecisions = {
  admit(
    authorization: readonly string[],
    need: Need,
    params: Readonly<Record<string, string>>,
    address: string | undefined,
    isCounted?: boolean,
    origin?: string,
  ): Admission | Promise<Admission>;
  isOwnPage(authorization: readonly string[], origin: string): boolean;
  limit(caller: Caller, family: RateFamily | null): RateState | Promise<RateState>;
  limitEndUser(caller: Caller, names: readonly string[]): Promise<void>;
  remaining(caller: Caller): Promise<number | null>;
};

/** Digests that decide whether two calls are the same call. */
export type Idempotency = {
  /** SHA-256 of method, path and key. The store adds the organization. */
  readonly scope: Buffer;
  /** SHA-256 of the body's bytes as sent. */
  readonly request: Buffer;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller and the records that the path names. Null on public and dashboard routes, which have no key. */
    admission: Admission;
    /** The result of the session guard of a dashboard route. */
    session: unknown;
    /** `req_…`, the same as in X-Request-Id, the error body and the log line. */
    readonly requestId: string;
    /** Null when the caller sent no Idempotency-Key. */
    idempotency: Idempotency | null;
  }
}

export const isKeyRoute = (access: RouteAccess): access is Need => access !== 'public' && !('session' in access);

/** The schema of the JSON body. Null if the answer has no body, or is only a stream of events. */
export const answerSchema = (answer: Answer | null): TSchema | null => {
  if (answer === null) return null;
  if ('schema' in answer) return answer.schema;
  return 'events' in answer ? null : answer;
};

/** The only answer is a stream of events, which ends late or never. */
export const isStream = ({ responses }: Route): boolean =>
  Object.values(responses).every((answer) => answer !== null && 'events' in answer && !('schema' in answer));

/** The status that a handler's plain return value is sent with. */
export const successStatus = (route: Route): number => Math.min(...Object.keys(route.responses).map(Number));
