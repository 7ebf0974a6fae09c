import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type AnswerOf,
  type BodyOf,
  DASHBOARD_BASE,
  DASHBOARD_ROUTES,
  type DashboardRoute,
  type DashboardRouteName,
  type ParamOf,
  type QueryOf,
} from '../../../contract/dashboard/routes.ts';
import { TOKEN_ROUTES } from '../../../contract/dashboard/token-routes.ts';
import { DEFAULT_PAGE } from '../../../contract/limits.ts';
import type { Role, TokenVerb } from '../../../contract/permissions.ts';
import { lostDatabase } from '../../access/sessions/lost-database.ts';
import { checkOrigin } from '../../access/sessions/origin.ts';
import type { createSessionGate, DashboardCaller } from '../../access/sessions/session-gate.ts';
import type { Browser } from '../../access/sessions/signed-in.ts';
import { metaOf } from '../edge/request-meta.ts';
import { cursorScope, type Paging, type Position } from '../route/paging.ts';
import type { Route } from '../route/route.ts';
import { checkedAfterWaits } from './check-again.ts';
import { download, type FileParts } from './download.ts';

/** The input of every handler of the dashboard's API. */
export type Call<N extends DashboardRouteName> = {
  /** Null on public routes. */
  caller: DashboardCaller;
  /** The value is empty on routes whose path contains no organization. */
  orgId: string;
  params: Record<ParamOf<N>, string>;
  body: BodyOf<N>;
  query: QueryOf<N>;
  /** The member for the audit log. */
  actor: { userId: string; address: string; requestId: string; tokenId: string | null };
  /** The acting member, with the role in this organization. */
  acting: { userId: string; role: Role };
  from: Browser & { requestId: string };
  reply: FastifyReply;
  /** The dependencies of a verb that waits for another server and then changes data. */
  careful: <Deps extends object>(deps: Deps) => Deps;
  /** Checks the caller again when a long wait for an answer has ended. */
  thenChecked: <Result>(waiting: Promise<Result>) => Promise<Result>;
  /** Responds with a file. */
  download: (file: FileParts) => FastifyReply;
  /** Builds one page of a list. `filters` are the query parameters that restrict the list. */
  paged: <Row extends { created_at: string }>(
    filters: Record<string, unknown>,
    read: (page: { limit: number; after: Position | null }) => Promise<{ rows: Row[]; hasMore: boolean }>,
    idOf?: (row: Row) => string,
  ) => Promise<{ data: Row[]; next_cursor: string | null; has_more: boolean }>;
};

type Handle<N extends DashboardRouteName> = (
  call: Call<N>,
) => Promise<AnswerOf<N> | FastifyReply | void> | AnswerOf<N> | FastifyReply | void;

export type DeclareRoute = <N extends DashboardRouteName>(
  name: N,
  handle: Handle<N>,
  /** The bodies of additional success statuses. */
  more?: Route['responses'],
) => Route;

type Deps = { gate: ReturnType<typeof createSessionGate>; paging: Paging; baseUrl: string };

/** Larger bodies are definitions, which have many members, and documents. */
const LARGE_BODY_KEYS = 20_000;
/** Strangers can open all connections of a node and send slowly. A passkey is the largest body, with a few KiB. */
const PUBLIC_BODY_BYTES = 32 * 1024;

/** Creates a Route from one entry of contract/dashboard/routes.ts and its handler. */
export function createDeclareRoute({ gate, paging, baseUrl }: Deps): DeclareRoute {
  const guardOf = ({ access }: DashboardRoute, token: TokenVerb | 'own' | undefined) => {
    if (access !== 'public') {
      const guard = gate({ access, token });
      return (request: FastifyRequest, isAgain: boolean) => guard(request, metaOf(request.raw)!.authorization, isAgain);
    }
    return (request: FastifyRequest): null => {
      checkOrigin(request, baseUrl);
      return null;
    };
  };

  return (name, handle, more = {}) => {
    const declared: DashboardRoute = DASHBOARD_ROUTES[name];
    const guard = guardOf(declared, TOKEN_ROUTES[name]);
    return {
      method: declared.method,
      path: DASHBOARD_BASE + declared.path,
      access: {
        session: async (request, _reply, isAgain) => {
          const former = (request.session as DashboardCaller | null)?.setCookie ?? [];
          const caller = await guard(request, isAgain);
          return caller && { ...caller, setCookie: [...former, ...caller.setCookie] };
        },
      },
      operation: { id: name, summary: declared.summary, tag: 'Dashboard', hidden: true },
      ...(declared.body && { body: declared.body }),
      ...(declared.bodyOptional && { bodyOptional: true }),
      ...(declared.rawBody !== undefined && { rawBody: declared.rawBody }),
      ...(declared.access === 'public' && { bodyBytes: PUBLIC_BODY_BYTES }),
      ...(declared.bodyLimit !== undefined && { bodyBytes: declared.bodyLimit, bodyKeys: LARGE_BODY_KEYS }),
      ...(declared.query && { query: declared.query }),
      responses: { [declared.status]: declared.answer ?? null, ...more },
      handle: async (request, reply) => {
        // The status is set explicitly, because an additional success status may come first in the list of responses.
        reply.code(declared.status);
        try {
          return await handle(callOf(name, request, reply, paging, async () => guard(request, true)));
        } catch (error) {
          throw lostDatabase(request.method, error);
        }
      },
    };
  };
}

function callOf<N extends DashboardRouteName>(
  name: N,
  request: FastifyRequest,
  reply: FastifyReply,
  paging: Paging,
  check: () => Promise<unknown>,
): Call<N> {
  const caller = request.session as DashboardCaller;
  const params = request.params as Record<ParamOf<N>, string>;
  const orgId = (params as { org_id?: string }).org_id ?? '';
  const { requestId, ip: address } = request;
  const { cookie, 'user-agent': userAgent } = request.headers;
  if (caller?.setCookie.length) reply.header('set-cookie', caller.setCookie);
  return {
    caller,
    orgId,
    params,
    body: request.body as BodyOf<N>,
    query: (request.query ?? {}) as QueryOf<N>,
    actor: { userId: caller?.user.id ?? '', address, requestId, tokenId: caller?.token?.id ?? null },
    acting: { userId: caller?.user.id ?? '', role: caller?.membership?.role ?? 'viewer' },
    from: { cookie, userAgent, address, requestId },
    reply,
    careful: (given) => checkedAfterWaits(given, check),
    thenChecked: async (waiting) => {
      const result = await waiting;
      await check();
      return result;
    },
    download: (file) => download(reply, file, check),
    async paged(filters, read, idOf) {
      const { limit = DEFAULT_PAGE, cursor } = request.query as { limit?: number; cursor?: string };
      const scope = cursorScope(`dashboard ${name}`, orgId || caller.user.id, filters);
      const page = await read({ limit, after: paging.after(scope, cursor) });
      return paging.page(scope, page, idOf);
    },
  };
}
