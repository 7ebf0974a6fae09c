import type { TSchema } from 'typebox';
import { REGIONS, type Region } from '../../../contract/regions.ts';
import { PROBLEMS, Refusal, type ProblemBody, type ProblemCode } from '../../../contract/problems.ts';
import { idPattern, type IdPrefix } from '../../../contract/ids.ts';
import { OpenAIErrorSchema, ProblemSchema } from '../route/problem-schema.ts';
import { formatOf } from '../edge/problem-formats.ts';
import { problemBody } from '../edge/problems.ts';
import { tagOf } from '../../kernel/validation/faults.ts';
import { answerSchema, isKeyRoute, type Answer, type Events, type ExampleEvent, type Route } from '../route/route.ts';
import { problemsOf } from '../route/route-problems.ts';
import { describeEvents } from './describe-events.ts';
import { describeTurns } from './describe-turns.ts';
import { wireSchema } from '../../kernel/validation/validate.ts';

type Json = Record<string, unknown>;
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Json } & Json;
};
export type Described = { readonly region: Region; readonly baseUrl: string; readonly version: string };

/**
 * OpenAPI 3.1, generated from the same declarations that the server runs. Schemas with a title become components with
 * the title as name.
 */
export function describeRoutes(routes: readonly Route[], { region, baseUrl, version }: Described): OpenApiDocument {
  const schemas: Json = {};
  const named = (schema: unknown): unknown => hoist(schema, schemas);
  named(wireSchema(ProblemSchema));
  const paths: OpenApiDocument['paths'] = {};
  const shown = routes.filter(isShown);
  if (shown.some((route) => formatOf(route.path).schema === 'OpenAIError')) named(wireSchema(OpenAIErrorSchema));
  for (const route of shown)
    (paths[pathOf(route)] ??= {})[route.method.toLowerCase()] = operationOf(route, baseUrl, named);
  const tags = [...new Set(shown.map((route) => route.operation.tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley API',
      version,
      description: `Start and follow conversations of your agents, in the region ${REGIONS[region]}.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: REGIONS[region] }],
    tags: tags.map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    webhooks: { ...describeEvents(named), ...describeTurns(named) },
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: `parley_${region}_…`,
          description: 'An API key of this region.',
        },
      },
      headers: HEADERS,
    },
  };
}

/** The public reference leaves out the routes that only the dashboard and browsers call. */
export const isShown = ({ access, operation }: Route): boolean =>
  operation.hidden !== true && (access === 'public' || isKeyRoute(access));

/** The path `/api/x/:id` in the router becomes `/api/x/{id}` in OpenAPI. */
export const pathOf = ({ path }: Pick<Route, 'path'>): string => path.replace(/:(\w+)/g, '{$1}');

const TAGS: Readonly<Record<string, string>> = {
  System: 'The service itself and the calling key.',
  Triggers: 'Start conversations from a backend and follow their runs.',
  OpenAI: 'Agents as models, for clients of the API of OpenAI.',
  Channels: 'Send messages through connected channels.',
  'End users': 'The people that agents talk to.',
  Keys: 'Report keys that have leaked.',
  Events: 'List past events, for a backend that was not reachable.',
  Campaigns: 'Add recipients to a campaign with the key of that campaign.',
};

const HEADERS: Json = {
  'X-Request-Id': { description: 'The id of this request, for the log and for support.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The limits that apply, with their windows.', schema: { type: 'string' } },
  RateLimit: { description: 'The calls that remain of each limit.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
};
const header = (name: string): Json => ({ [name]: { $ref: `#/components/headers/${name}` } });

function operationOf(route: Route, baseUrl: string, named: (schema: unknown) => unknown): Json {
  const { operation, access } = route;
  const parameters = parametersOf(route, named);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [operation.tag],
    security: access === 'public' ? [] : [{ apiKey: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: route.bodyOptional !== true,
        content: {
          'application/json': {
            schema: named(wireSchema(route.body)),
            ...(operation.example !== undefined && { example: operation.example }),
          },
        },
      },
    }),
    responses: { ...answersOf(route, named), ...refusalsOf(route, baseUrl) },
  };
}

const ID_PARAMETERS: Readonly<Record<string, IdPrefix>> = {
  agent_id: 'agent',
  trigger_id: 'trigger',
  run_id: 'run',
  channel_id: 'channel',
  campaign_id: 'campaign',
  recipient_id: 'rcpt',
  message_id: 'msg',
  conversation_id: 'conv',
  end_user_id: 'enduser',
  approval_id: 'approval',
};

function parametersOf(route: Route, named: (schema: unknown) => unknown): Json[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]): Json => {
    const prefix = ID_PARAMETERS[name!];
    return {
      name,
      in: 'path',
      required: true,
      schema: { type: 'string', ...(prefix && { pattern: idPattern(prefix) }) },
    };
  });
  const query = route.query
    ? (wireSchema(route.query) as { properties?: Record<string, Json>; required?: string[] })
    : {};
  const inQuery = Object.entries(query.properties ?? {}).map(([name, { description, ...schema }]): Json => {
    const required = query.required?.includes(name) ?? false;
    return { name, in: 'query', required, ...(description !== undefined && { description }), schema: named(schema) };
  });
  const headers: Route['headers'] = {
    ...route.headers,
    ...(route.idempotent && { 'Idempotency-Key': { description: IDEMPOTENCY } }),
  };
  const inHeader = Object.entries(headers).map(([name, { description }]): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

const IDEMPOTENCY =
  '1 to 255 visible ASCII characters. A repeated call with the same key and body within 24 hours returns the first response and has no second effect.';

function answersOf(route: Route, named: (schema: unknown) => unknown): Json {
  const common = {
    ...header('X-Request-Id'),
    ...(route.limit && { ...header('RateLimit-Policy'), ...header('RateLimit') }),
  };
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, answer]) => {
      const { description, schema, headers, events, exampleEvents } = partsOf(answer);
      const own = Object.entries(headers).map(([name, says]) => [
        name,
        { description: says, schema: { type: 'string' } },
      ]);
      const example = route.operation.examples?.[Number(status)];
      const content = (schema || events) && {
        content: {
          ...(schema && {
            'application/json': { schema: named(wireSchema(schema)), ...exampleOf(schema, example) },
          }),
          ...(events && { 'text/event-stream': streamOf(events, exampleEvents, named) }),
        },
      };
      return [
        status,
        {
          description: description ?? SAYS[status] ?? 'Done.',
          headers: { ...common, ...Object.fromEntries(own) },
          ...content,
        },
      ];
    }),
  );
}

function exampleOf(schema: TSchema, example: unknown): Json {
  if (example === undefined) return {};
  if (!('anyOf' in schema)) return { example };
  const values = Object.entries(example as Json).map(([name, value]) => [name, { value }]);
  return { examples: Object.fromEntries(values) as Json };
}

const SAYS: Readonly<Record<string, string>> = {
  200: 'OK.',
  201: 'Created.',
  202: 'Accepted: the call is stored, and its work is done as soon as possible.',
  204: 'Done; the response has no body.',
  304: 'Not modified.',
};

/** Describes the events of a stream as OpenAPI 3.2 does. Older readers see text. */
const streamOf = (
  events: Events,
  examples: readonly ExampleEvent[] = [],
  named: (schema: unknown) => unknown,
): Json => ({
  schema: { type: 'string' },
  example: examples.map(eventText).join(''),
  'x-item-schema': {
    oneOf: Object.entries(events).map(([event, data]) => ({
      type: 'object',
      required: ['event', 'data'],
      properties: {
        id: { type: 'string' },
        event: { const: event },
        data: { type: 'string', contentMediaType: 'application/json', contentSchema: named(wireSchema(data)) },
      },
    })),
  },
});

const eventText = ({ event, id, data }: ExampleEvent): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

type Parts = {
  description?: string;
  schema: TSchema | null;
  headers: Record<string, string>;
  events?: Events;
  exampleEvents?: readonly ExampleEvent[];
};
const partsOf = (answer: Answer | null): Parts => {
  const schema = answerSchema(answer);
  const isSchema = answer === schema;
  return { headers: {}, ...(isSchema ? {} : (answer as Partial<Parts>)), schema };
};

/** Describes one response for each error status, with an example for each code of the status. */
function refusalsOf(route: Route, baseUrl: string): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  const { type, schema, bodyOf } = formatOf(route.path);
  for (const code of problemsOf(route)) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join('\n\n'),
        headers: {
          ...header('X-Request-Id'),
          ...(status === 401 && header('WWW-Authenticate')),
          ...((status === 429 || status === 503) && header('Retry-After')),
        },
        content: {
          [type]: {
            schema: { $ref: `#/components/schemas/${schema}` },
            examples: Object.fromEntries(codes.map((code) => [code, { value: bodyOf(exampleProblem(code, baseUrl)) }])),
          },
        },
      },
    ]),
  );
}

/** Builds an example of an error body with this code. The example is also on the code's page under /docs/problems. */
export function exampleProblem(code: ProblemCode, baseUrl: string): ProblemBody {
  const errors = [{ pointer: '/variables/order_id', code: 'required', detail: 'This field is required.' }];
  const members =
    code === 'permission_missing' ? { required_permission: 'triggers', key_permissions: ['channels'] } : {};
  const refusal = new Refusal(code, undefined, { members, ...(code === 'validation_failed' && { errors }) });
  return problemBody(refusal, 'req_01k8v3m9e5f7rsm6z4n0q2x1ab', baseUrl);
}

/** Moves every titled schema into the components once, and replaces it with a reference. */
export function hoist(schema: unknown, into: Json): unknown {
  if (Array.isArray(schema)) return schema.map((each) => hoist(each, into));
  if (typeof schema !== 'object' || schema === null) return schema;
  const all: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, into)]));
  const walked = withDiscriminator(withoutDefault(all), into);
  const { title } = walked;
  if (typeof title !== 'string') return walked;
  const known = into[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(walked))
    throw new Error(`Two different schemas have the title "${title}".`);
  into[title] = walked;
  return { $ref: `#/components/schemas/${title}` };
}

/**
 * Generators declare a member with a default as always present, which is wrong in a request. The description of a
 * parameter names its default. A member with the name "default" is not a keyword, and its value is a schema.
 */
function withoutDefault(schema: Json): Json {
  const { default: value, description, ...rest } = schema;
  if (
    (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') ||
    !('type' in rest || 'anyOf' in rest || 'enum' in rest)
  )
    return schema;
  const says = [description, `Default: \`${String(value)}\`.`].filter(Boolean).join(' ');
  return { ...rest, description: says };
}

/** Writes a union whose components differ in a literal member in the form that generators turn into a tagged union. */
function withDiscriminator(schema: Json, components: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const refs = anyOf.map((each) => (each as { $ref?: string }).$ref);
  if (!refs.every((ref) => ref !== undefined)) return schema;
  const alternatives = refs.map((ref) => components[ref.split('/').at(-1)!] as Json);
  const propertyName = tagOf(alternatives);
  if (propertyName === null) return schema;
  const literals = alternatives.map(({ properties }) => (properties as Record<string, Json>)[propertyName]!.const);
  const mapping = Object.fromEntries(literals.map((literal, index) => [String(literal), refs[index]]));
  return { ...rest, oneOf: anyOf, discriminator: { propertyName, mapping } };
}
