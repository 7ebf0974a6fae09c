/**
 * The command `node scripts/sdk-types.ts` writes sdk/src/wire.ts, the types of the client library, from the OpenAPI
 * description with Redocly's generator. The test sdk/test/wire.test.ts fails if sdk/src/wire.ts is out of date.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { EVENT_DATA } from '../contract/events.ts';
import { approvalRoutes } from '../src/http/api/approvals/routes.ts';
import { campaignRoutes } from '../src/http/api/campaigns/routes.ts';
import { channelApiRoutes } from '../src/http/api/channels/routes.ts';
import { completionRoutes } from '../src/http/api/completions/routes.ts';
import { endUserRoutes } from '../src/http/api/end-users/routes.ts';
import { listEventsRoute } from '../src/http/api/events/list-events.ts';
import { createClientTokenRoute } from '../src/http/api/client-tokens/create-client-token.ts';
import { reportLeakedRoute } from '../src/http/api/keys/report-leaked.ts';
import { triggerRoutes } from '../src/http/api/triggers/routes.ts';
import { describeRoutes, hoist, type OpenApiDocument } from '../src/http/docs/openapi.ts';
import { wireSchema } from '../src/kernel/validation/validate.ts';
import type { Route } from '../src/http/route/route.ts';
import { systemRoutes } from '../src/http/routes.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
export const WIRE = path.join(ROOT, 'sdk', 'src', 'wire.ts');
const HEAD = '// Written by scripts/sdk-types.ts from the OpenAPI description. Do not edit it.\n\n';

/** The types are the same in every region and version, so the description can have any values here. */
const SERVER = { region: 'us', baseUrl: 'https://parley.example', version: '0' } as const;

/** The description is created without a server, because the declarations of the routes need no configuration. */
export function describePublicApi(): OpenApiDocument {
  const none = { ...SERVER, allRoutes: (): Route[] => [] } as never;
  const families = [
    approvalRoutes,
    triggerRoutes,
    completionRoutes,
    campaignRoutes,
    endUserRoutes,
    channelApiRoutes,
    systemRoutes,
  ];
  const single = [listEventsRoute(none), reportLeakedRoute(none), createClientTokenRoute(none)];
  return describeRoutes([...families.flatMap((routes): Route[] => routes(none)), ...single], SERVER);
}

export async function wireTypes(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-sdk-types-'));
  try {
    const description = describePublicApi();
    hoist(wireSchema(Type.Object(EVENT_DATA, { title: 'EventData' })), description.components.schemas);
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(description));
    const redocly = path.join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const args = [redocly, 'generate-client', 'openapi.json', '--output', 'client.ts', '--output-mode', 'split'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    const made = readFileSync(path.join(folder, 'client.schemas.ts'), 'utf8');
    return HEAD + made.slice(made.indexOf('export type '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) writeFileSync(WIRE, await wireTypes());
