import type { Tool as Definition } from '@modelcontextprotocol/server';
import type { Fault } from '../../../contract/problems.ts';
import { decideCaller } from '../../access/decide.ts';
import type { Admission } from '../../access/types.ts';
import { escapePointer, MAX_FAULTS, MAX_POINTER_CHARACTERS } from '../route/faults.ts';
import { isShown, pathOf } from '../docs/openapi.ts';
import { isKeyRoute, type Route } from '../route/route.ts';
import { wireSchema } from '../route/validate.ts';

type Json = Record<string, unknown>;

/** An endpoint of the public API as a tool of the Model Context Protocol. */
export type Tool = {
  readonly route: Route;
  readonly definition: Definition;
};

/** The HTTP request that a tool call makes. */
export type ToolRequest = { method: Route['method']; url: string; headers: Record<string, string>; payload?: string };

/**
 * One tool for each endpoint that accepts a key, built from the endpoint's own declaration: path ids and query members
 * by their names, the whole body as `body`, the Idempotency-Key as `idempotency_key`.
 */
export const toolsOf = (routes: readonly Route[]): Tool[] =>
  routes
    .filter((route) => isShown(route) && isKeyRoute(route.access))
    .map((route) => ({ route, definition: define(route) }));

/** The tools that this key could use at all; each call is checked again, like any other request. */
export function isFor({ route: { access } }: Tool, { caller, from }: Pick<Admission, 'caller' | 'from'>): boolean {
  if (!isKeyRoute(access)) return false;
  const named = { agent: caller.agentId ?? undefined, campaign: caller.campaignId ?? undefined };
  return decideCaller(caller, access, named, from) === null;
}

/** Arguments that the tool does not have, and required ones that are missing. */
export function faultsOf({ definition }: Tool, given: Json): Fault[] {
  const { properties = {}, required = [] } = definition.inputSchema;
  return [
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(properties, name))
      .slice(0, MAX_FAULTS)
      .map((name) => ({
        pointer: `/${escapePointer(name)}`.slice(0, MAX_POINTER_CHARACTERS),
        code: 'unknown_field',
        detail: 'This field is not allowed here.',
      })),
    ...required
      .filter((name) => given[name] === undefined)
      .map((name) => ({ pointer: `/${name}`, code: 'required', detail: 'This field is required.' })),
  ];
}

export function requestOf({ route }: Tool, given: Json): ToolRequest {
  const names = pathNames(route);
  const path = names.reduce(
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
    },
    ...(given.body !== undefined && { payload: JSON.stringify(given.body) }),
  };
}

/** Path and query contain text; the schema refuses any other value. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const pathNames = (route: Route): string[] => [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
const queryOf = (route: Route) =>
  route.query ? (wireSchema(route.query) as { properties?: Record<string, Json>; required?: string[] }) : {};
const queryNames = (route: Route): string[] => Object.keys(queryOf(route).properties ?? {});

function define(route: Route): Definition {
  const { operation, method } = route;
  const names = pathNames(route);
  const query = queryOf(route);
  const properties: Record<string, Json> = {
    ...Object.fromEntries(names.map((name) => [name, { type: 'string', minLength: 1 }])),
    ...query.properties,
    ...(route.body && { body: wireSchema(route.body) }),
    ...(route.idempotent && {
      idempotency_key: {
        type: 'string',
        description: 'A repeated call with the same key returns the first result and has no second effect.',
      },
    }),
  };
  const required = [...names, ...(query.required ?? []), ...(route.body && !route.bodyOptional ? ['body'] : [])];
  return {
    name: operation.id,
    title: operation.summary,
    description: [operation.summary, operation.description].filter(Boolean).join('. '),
    inputSchema: { type: 'object', properties, required, additionalProperties: false } as Definition['inputSchema'],
    annotations: {
      readOnlyHint: method === 'GET',
      destructiveHint: method === 'DELETE',
      idempotentHint: method === 'GET' || method === 'PUT' || method === 'DELETE',
    },
  };
}
