import { CHANNEL_FORMS } from '../../contract/channel-kinds.ts';
import { DASHBOARD_BASE, DASHBOARD_ROUTES, type DashboardRoute } from '../../contract/dashboard/routes.ts';
import { MAX_BODY_BYTES, MAX_JSON_KEYS } from '../../contract/limits.ts';
import { wireSchema } from '../../src/kernel/validation/validate.ts';
import type { Refs, Schema } from './schema-fields.ts';

/** Lists every operation from the two API descriptions only, so that a new route is included automatically. */
export type Operation = {
  name: string;
  api: 'dashboard' | 'public';
  method: string;
  /** The path has its `{parameters}`. */
  path: string;
  /** The schema is absent if the operation accepts no JSON. */
  body?: Schema;
  query?: Schema;
  rawBody?: number;
  /** The maximum size of a body, which its schema does not contain. */
  maxBytes: number;
  maxKeys: number;
};

type Described = {
  operationId: string;
  requestBody?: { content?: Record<string, { schema: Schema }> };
  parameters?: { in: string; name: string; schema: Schema }[];
};
type Document = { paths: Record<string, Record<string, Described>>; components: { schemas: Refs } };

/** The maximum number of keys in the larger bodies, which are definitions and lists of people. */
const DEFINITION_KEYS = 20_000;
const LISTS: Record<string, number> = { bulkUpsertEndUsers: 60_000, pushRecipients: 60_000, createCompletion: 5_000 };

export function dashboardOperations(): Operation[] {
  return Object.entries<DashboardRoute>(DASHBOARD_ROUTES).map(([name, { method, path, body, query, ...more }]) => ({
    name,
    api: 'dashboard',
    method,
    path: DASHBOARD_BASE + path.replaceAll(/:(\w+)/g, '{$1}'),
    ...(body && more.rawBody === undefined && { body: wireSchema(body) }),
    ...(query && { query: wireSchema(query) }),
    ...(more.rawBody !== undefined && { rawBody: more.rawBody }),
    maxBytes: more.bodyLimit ?? MAX_BODY_BYTES,
    maxKeys: more.bodyLimit === undefined ? MAX_JSON_KEYS : DEFINITION_KEYS,
  }));
}

export async function publicOperations(url: string): Promise<{ operations: Operation[]; refs: Refs }> {
  const { paths, components } = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: name, requestBody, parameters = [] }]): Operation => {
      const body = requestBody?.content?.['application/json']?.schema;
      const asked = parameters.filter((one) => one.in === 'query').map((one) => [one.name, one.schema]);
      return {
        name,
        api: 'public',
        method: method.toUpperCase(),
        path,
        ...(body && { body }),
        ...(asked.length > 0 && { query: { type: 'object', properties: Object.fromEntries(asked) } }),
        maxBytes: MAX_BODY_BYTES,
        maxKeys: LISTS[name] ?? MAX_JSON_KEYS,
      };
    }),
  );
  return { operations, refs: components.schemas };
}

/** The settings of each kind of channel, which the schema for connecting a channel does not describe. */
export function channelOperations(): (Operation & { kind: string })[] {
  const connect = dashboardOperations().find(({ name }) => name === 'connectChannel')!;
  return Object.entries(CHANNEL_FORMS).map(([kind, { settings }]) => ({
    ...connect,
    name: `connectChannel ${kind}`,
    kind,
    body: { type: 'object', properties: { settings: wireSchema(settings) }, required: ['settings'] },
  }));
}
