import {
  DASHBOARD_BASE,
  DASHBOARD_ROUTES,
  type DashboardRoute,
  type DashboardRouteName,
} from '../../../contract/dashboard/routes.ts';
import { TOKEN_ROUTES } from '../../../contract/dashboard/token-routes.ts';
import { SESSION_COOKIE } from '../../access/sessions/session-constants.ts';
import { ProblemSchema } from '../route/problem-schema.ts';
import { wireSchema } from '../../kernel/validation/validate.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 description of the dashboard's API, generated from the same table that the server mounts. */
export function describeDashboard({ baseUrl }: { baseUrl: string }): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries<DashboardRoute>(DASHBOARD_ROUTES)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operationOf(name, route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley dashboard API',
      version: '1',
      description:
        'The dashboard and the command line use this API. The API changes with the dashboard: build on the public API instead.',
    },
    servers: [{ url: baseUrl + DASHBOARD_BASE }],
    security: [{ session: [] }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'parley_token_…' },
      },
      schemas: { Problem: wireSchema(ProblemSchema) },
    },
  };
}

function operationOf(name: string, route: DashboardRoute): Json {
  const verb = TOKEN_ROUTES[name as DashboardRouteName];
  const role = NEEDS[route.access] ?? `This route requires the role ${route.access} or a higher role.`;
  const token =
    verb === undefined
      ? 'This route accepts no access token.'
      : verb === 'own'
        ? 'This route accepts any access token.'
        : `This route accepts an access token with the verb ${verb}.`;
  const description = route.access === 'public' ? role : `${role} ${token}`;
  return {
    operationId: name,
    summary: route.summary,
    description,
    tags: [/^\/organizations\/:org_id\/([\w-]+)/.exec(route.path)?.[1] ?? 'session'],
    ...(route.access === 'public' && { security: [] }),
    ...(verb !== undefined && { security: [{ session: [] }, { token: [] }] }),
    parameters: [...pathParameters(route.path), ...queryParameters(route)],
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: { 'application/json': { schema: wireSchema(route.body) } },
      },
    }),
    responses: {
      [route.status]: {
        description: route.summary,
        ...(route.answer && { content: { 'application/json': { schema: wireSchema(route.answer) } } }),
      },
      default: {
        description: 'A refusal; each code has a page under /docs/problems.',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

const NEEDS: Record<string, string> = {
  public: 'Needs no session.',
  signed_in: 'Needs a session.',
  any_session: 'Needs a session.',
  operator: 'Only the operator of the installation may call this route.',
};

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters({ query }: DashboardRoute): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = wireSchema(query) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}
