import type { Tool as Definition } from '@modelcontextprotocol/server';
import { Type } from 'typebox';
import { type Fault, Refusal } from '../../../contract/problems.ts';
import { decideCaller } from '../../access/decide.ts';
import type { Admission } from '../../access/types.ts';
import { OPENAI_PATH } from '../edge/problem-formats.ts';
import { isShown, pathOf } from '../docs/openapi.ts';
import { answerSchema, isKeyRoute, isStream, type Route } from '../route/route.ts';
import { type Check, compileBody, wireSchema } from '../../kernel/validation/validate.ts';

type Json = Record<string, unknown>;

/** An endpoint of the public API as a tool of the Model Context Protocol. */
export type Tool = {
  readonly route: Route;
  readonly definition: Definition;
  /** Validates arguments that the endpoint cannot see (unknown, missing, or part of a path or header). */
  readonly check: Check;
};

/** The HTTP request that a tool call makes. */
export type ToolRequest = { method: Route['method']; url: string; headers: Record<string, string>; payload?: string };

/**
 * Creates one tool for each endpoint that accepts a key, from the endpoint's own declaration. Path IDs and query
 * parameters are separate arguments, the whole body is `body`, and the Idempotency-Key is `idempotency_key`. A stream
 * of events is not a tool, because a tool call has one result.
 */
export const toolsOf = (routes: readonly Route[]): Tool[] =>
  routes.filter((route) => isShown(route) && isKeyRoute(route.access) && hasOneResult(route)).map(toolOf);

/** A completion may be a stream, and the tool `startConversation` has the effect of a completion. */
const hasOneResult = (route: Route): boolean => !isStream(route) && !route.path.startsWith(OPENAI_PATH);

/** True if this key may use the tool. Each call of a tool is checked again, like any other request. */
export function isFor({ route: { access } }: Tool, { caller, from }: Pick<Admission, 'caller' | 'from'>): boolean {
  if (!isKeyRoute(access)) return false;
  const named = { agent: caller.agentId ?? undefined, campaign: caller.campaignId ?? undefined };
  return decideCaller(caller, access, named, from) === null;
}

export function faultsOf({ check }: Pick<Tool, 'check'>, given: Json): Fault[] {
  try {
    check(given);
    return [];
  } catch (error) {
    if (error instanceof Refusal) return error.extras.errors ?? [];
    throw error;
  }
}

export function requestOf({ route }: Tool, given: Json): ToolRequest {
  const path = pathNames(route).reduce(
    (url, name) => url.replace(`{${name}}`, encodeURIComponent(textOf(given[name]))),
    pathOf(route),
  );
  const query = new URLSearchParams(
    queryNames(route).flatMap((name) =>
      given[name] === undefined ? [] : [[name, textOf(given[name])] as [string, string]],
    ),
  );
  const key = given.idempotency_key;
  return {
    method: route.method,
    url: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers: {
      ...(given.body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': textOf(key) }),
      ...Object.fromEntries(
        headerArguments(route).flatMap(({ header, name, toHeader }) =>
          given[name] === undefined ? [] : [[header, toHeader(given[name])]],
        ),
      ),
    },
    ...(given.body !== undefined && { payload: JSON.stringify(given.body) }),
  };
}

/** A path or query contains only text. The schema refuses a value that is not text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const pathNames = (route: Route): string[] => [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
const queryOf = (route: Route) =>
  route.query ? (wireSchema(route.query) as { properties?: Record<string, Json>; required?: string[] }) : {};
const queryNames = (route: Route): string[] => Object.keys(queryOf(route).properties ?? {});
const headerArguments = ({ headers = {} }: Route) =>
  Object.entries(headers).flatMap(([header, { argument }]) => (argument ? [{ header, ...argument }] : []));

function toolOf(route: Route): Tool {
  const { operation, method } = route;
  const names = pathNames(route);
  const query = queryOf(route);
  const id = { type: 'string', minLength: 1 };
  const inHeaders = Object.fromEntries(headerArguments(route).map(({ name, schema }) => [name, wireSchema(schema)]));
  const properties: Record<string, Json> = {
    ...Object.fromEntries(names.map((name) => [name, id])),
    ...query.properties,
    ...inHeaders,
    ...(route.body && { body: wireSchema(route.body) }),
    ...(route.idempotent && {
      idempotency_key: {
        type: 'string',
        description: 'A repeated call with the same key returns the first result and has no second effect.',
      },
    }),
  };
  const required = [...names, ...(query.required ?? []), ...(route.body && !route.bodyOptional ? ['body'] : [])];
  const outputSchema = outputSchemaOf(route);
  return {
    route,
    check: compileBody(
      Type.Unsafe({
        type: 'object',
        // The endpoint validates body and query, after the access check.
        properties: {
          ...Object.fromEntries(Object.keys(properties).map((name) => [name, {}])),
          ...Object.fromEntries(names.map((name) => [name, id])),
          ...inHeaders,
        },
        required,
        additionalProperties: false,
      }),
    ),
    definition: {
      name: operation.id,
      title: operation.summary,
      description: [operation.summary, operation.description].filter(Boolean).join('. '),
      inputSchema: { type: 'object', properties, required, additionalProperties: false } as Definition['inputSchema'],
      ...(outputSchema && { outputSchema }),
      annotations: {
        readOnlyHint: method === 'GET',
        destructiveHint: method === 'DELETE',
        idempotentHint: method === 'GET' || method === 'PUT' || method === 'DELETE',
      },
    },
  };
}

/**
 * Returns the schema of the structured result, which is any of the success bodies. The result is undefined if a
 * successful response may have no body.
 */
function outputSchemaOf({ responses }: Route): Definition['outputSchema'] {
  const schemas = Object.values(responses).map(answerSchema);
  if (schemas.includes(null)) return undefined;
  const distinct = [...new Set(schemas.map((schema) => JSON.stringify(wireSchema(schema!))))];
  const bodies = distinct.map((text) => JSON.parse(text) as Json);
  // The protocol requires an object at the root of the schema.
  return { type: 'object', ...(bodies.length === 1 ? bodies[0] : { anyOf: bodies }) };
}
