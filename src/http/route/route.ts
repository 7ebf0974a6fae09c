import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { RateFamily } from '../../../contract/limits.ts';
import type { ProblemCode } from '../../../contract/problems.ts';
import type { Admission, Caller, Need } from '../../access/types.ts';

/**
 * The complete declaration of one endpoint: who may call it, its input, its answers, and its text in the reference. The
 * file mount-routes.ts runs the endpoint and openapi.ts documents it, so no fact is written twice.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** The path in the style of Fastify, such as `/api/triggers/:agent_id/:trigger_id`. */
  readonly path: string;
  /**
   * The access for rows 1 to 11 of the order of checks (docs/security.md). A route without access stops the server at
   * start.
   */
  readonly access: RouteAccess;
  /** The rate limit for row 12 of the order of checks. Absent: only the limits of the key apply. */
  readonly limit?: RateFamily;
  /** All names of the one person whom the call reaches, for the key's limit per end user. */
  readonly reaches?: (body: never) => readonly string[];
  readonly operation: Operation;
  /**
   * The schema of the body, for rows 13 and 14 of the order of checks. If the schema is absent on POST, PUT and PATCH,
   * the body must be empty or the empty object.
   */
  readonly body?: TSchema;
  /** The body may be absent and then counts as `{}`. */
  readonly bodyOptional?: boolean;
  /**
   * The handler gets the raw body (`request.body` is a Buffer) with at most this many bytes, for webhooks whose
   * signature covers the raw bytes. With a raw body, the handler does rows 13 and 14 of the order of checks.
   */
  readonly rawBody?: number;
  /** Allows more keys than the usual 1,000, for bodies with many records. */
  readonly bodyKeys?: number;
  /** Allows more bytes than the usual 256 KiB, for documents. */
  readonly bodyBytes?: number;
  /**
   * The schema of the query, an object of strings, integers, booleans and enumerations. Absent: the server ignores the
   * query, but refuses fields of the body in the query.
   */
  readonly query?: TSchema;
  /** The request headers that the handler reads, by name. */
  readonly headers?: Readonly<Record<string, RequestHeader>>;
  /** True: the call acts once per `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /**
   * The body for each success status, or `null` for no body. A plain value that a handler returns is sent with the
   * lowest status.
   */
  readonly responses: Readonly<Record<number, Answer | null>>;
  /** Refusals that only this route has, besides the refusals that follow from its declaration. */
  readonly problems?: readonly ProblemCode[];
  /** Returns the body (an object, or JSON text), or answers with `reply` and returns `reply`. */
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
};

export type RequestHeader = {
  /** The effect of the header, for the reference. */
  readonly description: string;
  /** The argument of the tool (MCP) that replaces the header, because a tool call has no headers. */
  readonly argument?: {
    readonly name: string;
    readonly schema: TSchema;
    readonly toHeader: (given: unknown) => string;
  };
};

export type RouteAccess = Need | 'public' | { readonly session: SessionGuard };

/**
 * Decides access for routes of people: the guard throws a Refusal, or its result becomes `request.session`. The guard
 * runs before the body is read. Refusals also have the headers that the guard sets. After a slow body, the guard runs
 * again with `isAgain`, so that it does not count the call twice.
 */
export type SessionGuard = (request: FastifyRequest, reply: FastifyReply, isAgain: boolean) => unknown;

export type Answer =
  | TSchema
  | {
      readonly schema: TSchema;
      readonly description?: string;
      readonly headers?: Record<string, string>;
      /** The events of the stream that callers get if they ask for a stream. */
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
  /** The ID of the route, unique and stable, because generated clients derive their method name from it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** True: the public reference hides the route, as for the dashboard's own endpoints. */
  readonly hidden?: boolean;
  /** An example of the body. Tests check the example against the schema. */
  readonly example?: unknown;
  /**
   * An example of the answer for each status. For a union, an object with a named example of each alternative. Tests
   * validate all examples of answers.
   */
  readonly examples?: Readonly<Record<number, unknown>>;
};

/** Values of the RateLimit-Policy and RateLimit headers (IETF draft-ietf-httpapi-ratelimit-headers). */
export type RateState = { readonly policy: string; readonly state: string };

/** The part of the access room that the routes need, which `Access` implements. */
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

/** Two digests that decide whether two calls are the same call. */
export type Idempotency = {
  /** The hash (SHA-256) of method, path and key. The store adds the organization. */
  readonly scope: Buffer;
  /** The hash (SHA-256) of the body's bytes as sent. */
  readonly request: Buffer;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller and the records that the path names. Null on public and dashboard routes, which have no key. */
    admission: Admission;
    /** The result of the session guard of a dashboard route. */
    session: unknown;
    /** The request ID (`req_…`), as in X-Request-Id, the error body and the log line. */
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

/** True if the only answer is a stream of events, which ends late or never. */
export const isStream = ({ responses }: Route): boolean =>
  Object.values(responses).every((answer) => answer !== null && 'events' in answer && !('schema' in answer));

/** The status with which a plain value of a handler is sent. */
export const successStatus = (route: Route): number => Math.min(...Object.keys(route.responses).map(Number));
