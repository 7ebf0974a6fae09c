import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_MESSAGE_CHARACTERS } from '../../contract/limits.ts';
import { FILLERS, type Filler } from '../attack/fillers.ts';
import { heaviestBody } from '../attack/heaviest-body.ts';
import { channelOperations, dashboardOperations, type Operation, publicOperations } from '../attack/operations.ts';
import { type Field, fieldsOf, type Refs } from '../attack/schema-fields.ts';
import { startWatchedServer, type WatchedServer, watchHealth } from '../attack/watched-server.ts';
import { FAKE_MODEL_KEY, type FakeModel, startFakeModel } from '../fakes/model.ts';
import { createTestDatabase, type TestDatabase } from '../postgres.ts';

/**
 * Every field of all inputs of the two APIs, with the largest values that its schema allows. The fields are read from
 * the schemas, so a new field is included automatically. Stored values are also used once. They must not delay any
 * other request.
 */
/** The most on a busy machine is 201, with cold caches. A pattern without a budget takes seconds. */
const MAX_WAIT_MS = 300;
/**
 * V8 collects garbage late and returns free pages even later. The limit finds values that need more than a gigabyte.
 */
const MAX_RESIDENT_MIB = 1_536;
/** A refused value is sent again at this fraction of its size, until it is accepted. */
const SCALES = [1, 1 / 8, 1 / 64];
const FEW = 2;
const SHORT = 300;
/** Reading documents takes seconds, so only likely texts are used. */
const LONGEST = 100_000;

/** A file of people with the maximum size of a piece. */
const PEOPLE = Buffer.from(`external_id\n${'"x""\n"\n'.repeat(130_000)}`);

let server: WatchedServer;
let database: TestDatabase;
let model: FakeModel;
let operations: Operation[];
let refs: Refs;
let cookie: string;
let key: string;
let campaignKey: string;
const ids: Record<string, string> = {};
const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-heaviest-'));

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into it freely
type Answer = { status: number; body: any };

async function send(method: string, to: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(server.url + to, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}
const own = (line: string, body?: unknown): Promise<Answer> => {
  const [method, to] = line.split(' ') as [string, string];
  return send(method, `/dashboard/api/organizations/${ids['org']}${to}`, body, { cookie });
};
const must = ({ status }: { status: number }): void => {
  if (status >= 300) throw new Error(`answered ${status}`);
};
const make = async (noun: string, body: object): Promise<string> => {
  const answer = await own(`POST /${noun}`, body);
  must(answer);
  return answer.body.value ?? answer.body.id;
};

beforeAll(async () => {
  database = await createTestDatabase();
  model = await startFakeModel();
  server = await startWatchedServer({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PARLEY_EGRESS_ALLOW: '127.0.0.1',
  });
  const signedIn = await fetch(`${server.url}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(server.owner),
  });
  cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0]!)
    .join('; ');
  ids['org'] = ((await signedIn.json()) as { organizations: { id: string }[] }).organizations[0]!.id;
  ids['agent'] = await make('agents', { name: 'A' });
  ids['trigger'] = await make('triggers', { agent_id: ids['agent'], name: 'T' });
  const settings = { url: `${model.url}/channel` };
  ids['channel'] = await make('channels', { agent_id: ids['agent'], name: 'C', kind: 'webhook', settings });
  ids['campaign'] = await make('campaigns', { agent_id: ids['agent'], channel_id: ids['channel'], name: 'C' });
  ids['enduser'] = await make('end-users', { external_id: 'one' });
  must(await own(`POST /campaigns/${ids['campaign']}/start`));
  ids['import'] = await make('end-user-imports', { name: 'people.csv', bytes: PEOPLE.length });
  const piece = { cookie, 'content-type': 'application/octet-stream' };
  const to = `/dashboard/api/organizations/${ids['org']}/end-user-imports/${ids['import']}/pieces/0`;
  must(await fetch(server.url + to, { method: 'PUT', headers: piece, body: PEOPLE }));
  ids['whk'] = await make('webhooks', { url: `${model.url}/events` });
  const secret = { tool: 'orders', url: `${model.url}/tool` };
  ids['tool_secret'] = await make(`agents/${ids['agent']}/tool-secrets`, secret);
  const account = { base_url: model.baseUrl('openai_compatible'), key: FAKE_MODEL_KEY };
  must(await own('PUT /models/openai_compatible', account));
  key = await make('keys', { label: 'K', scope: 'organization', permissions: ['triggers', 'channels', 'end_users'] });
  const campaign = { scope: 'campaign', campaign_id: ids['campaign'], permissions: ['campaigns'] };
  campaignKey = await make('keys', { label: 'C', ...campaign });
  const described = await publicOperations(server.url);
  refs = described.refs;
  operations = [...dashboardOperations(), ...channelOperations(), ...described.operations]
    .filter(({ body }) => body)
    // Fields whose values are used during storing come first, and they get every filler.
    .toSorted((one, other) => rankOf(one) - rankOf(other));
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Members of a definition that give a field its meaning. */
function definitionFor({ name }: Field): object {
  const isChoice = name.includes('/choices/');
  const step = { name: 's', type: isChoice ? 'choice' : 'text', ask: { default: 'Which?' } };
  const choices = isChoice && { choices: [{ id: 'c', label: { default: 'a' } }] };
  const rule = { name: 'r', tag: 't', ...(!name.endsWith('/pattern') && { words: ['zebra'] }) };
  const tool = {
    name: 't',
    description: 'd',
    parameters: { type: 'object' },
    url: `${model.url}/tool`,
    read_only: true,
  };
  const fallbackEntry = name.endsWith('/provider') ? {} : { provider: 'openai_compatible', model: 'm' };
  return {
    ...(/\/(steps|action)/.test(name) && { steps: { items: [{ ...step, ...choices }] } }),
    ...(name.includes('/rules/') && { rules: [rule] }),
    ...(name.includes('/fallback/') && { fallback: [fallbackEntry] }),
    ...(/\/(tools|instructions|temperature|provider|model|fallback|max_output|time_limit)/.test(name) && {
      provider: 'openai_compatible',
      model: 'm',
      tools: [tool],
    }),
  };
}

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
let made = 0;
const withDefinition = (field: Field) => ({ name: 'A', definition: definitionFor(field) });
const withVariable = () => ({ name: 'T', agent_id: ids['agent'], variables: [{ name: 'v', type: 'object' }] });
/**
 * A person, unless the field itself identifies a person in another way. Attributes add up, so each value goes to a new
 * person.
 */
const someone = ({ name }: Field, at: string) =>
  name === `${at}/id` ? {} : { external_id: name.includes('/attributes') ? `made-${made++}` : 'one' };
const BASES: Record<string, (field: Field) => unknown> = {
  createAgent: withDefinition,
  updateAgent: (field) => (field.name.startsWith('/definition') ? withDefinition(field) : { name: 'A' }),
  tryAgent: (field) => ({
    definition: definitionFor(field),
    messages: [
      { role: 'agent', text: 'Hello' },
      { role: 'end_user', text: 'Hi' },
    ],
  }),
  createTrigger: withVariable,
  updateTrigger: () => ({ variables: [{ name: 'v', type: 'object' }] }),
  createWebhook: () => ({ url: `${model.url}/events` }),
  setModel: () => ({ base_url: model.url, key: 'k' }),
  createEndUser: () => ({ external_id: `made-${made++}` }),
  runImport: () => ({ columns: ['external_id'], dry_run: true }),
  testTrigger: (field) => ({ end_user: someone(field, '/end_user') }),
  startConversation: (field) => ({ end_user: someone(field, '/end_user') }),
  createCompletion: (field) => ({
    model: ids['agent'],
    ...(!field.name.startsWith('/messages') && { messages: [{ role: 'user', content: 'Hi' }] }),
    ...(!field.name.startsWith('/metadata') && { metadata: { conversation: 'heaviest' } }),
  }),
  sendChannelMessage: (field) => ({
    to:
      field.name.startsWith('/to/') && !field.name.includes('end_user')
        ? {}
        : { end_user: someone(field, '/to/end_user') },
  }),
  // No messages are sent before the end, because a thousand conversations per field would take too long.
  pushRecipients: (field) => ({
    recipients: [{ end_user: someone(field, '/recipients/0/end_user'), send_at: TOMORROW }],
  }),
};

/**
 * Operations that create and change stored values. All values that their schemas allow are accepted, with these
 * exceptions.
 */
const TAKEN = new Set(
  `createAgent updateAgent tryAgent createDocument createTrigger updateTrigger testTrigger connectChannel_web_chat
  connectChannel_webhook sendTest createCampaign updateCampaign previewCampaign createWebhook updateWebhook setModel
  createEndUser createImport runImport startConversation pushRecipients upsertEndUser bulkUpsertEndUsers setConsent`.split(
    /\s+/,
  ),
);
const REFUSED = [
  // Only own code has a URL, and more than 30 seconds.
  'updateAgent /definition/url: 422 validation_failed',
  'updateAgent /definition/time_limit_seconds: 422 validation_failed',
  // Only a field of the type "choice" has choices.
  'updateAgent /definition/result/fields/0/choices/0: 422 validation_failed',
  // No argument of the schema has such a name.
  'updateAgent /definition/tools/0/bound/*: 422 validation_failed',
  // A reminder comes before the end, and an end needs its time.
  'updateAgent /definition/no_reply/remind/0/after_minutes: 422 validation_failed',
  'updateAgent /definition/no_reply/then: 422 validation_failed',
  // The agent has no such version.
  'updateTrigger /agent_version: 422 agent_version_not_found',
  'createTrigger /agent_version: 422 agent_version_not_found',
  'tryAgent /definition/url: 422 validation_failed',
  'tryAgent /definition/time_limit_seconds: 422 validation_failed',
  'tryAgent /definition/result/fields/0/choices/0: 422 validation_failed',
  'tryAgent /definition/tools/0/bound/*: 422 validation_failed',
  'tryAgent /definition/no_reply/remind/0/after_minutes: 422 validation_failed',
  'tryAgent /definition/no_reply/then: 422 validation_failed',
  // No record has this name.
  'testTrigger /variables/*: 422 validation_failed',
  // No conversation has this ID, and an ID excludes the other fields.
  'testTrigger /conversation/id: 404 conversation_not_found',
  'testTrigger /conversation/on_existing: 422 validation_failed',
  'testTrigger /agent_version: 422 agent_version_not_found',
  // Its columns do not identify a person.
  'runImport /columns/0: 422 validation_failed',
  'startConversation /variables/*: 422 validation_failed',
  'startConversation /conversation/id: 404 conversation_not_found',
  'startConversation /conversation/on_existing: 422 validation_failed',
  'startConversation /agent_version: 422 agent_version_not_found',
];

const isTaken = (answer: Answer): boolean => answer.status < 300;
/** The whole input was read and checked; only the name is taken, or no model answers. */
const isRead = ({ status }: Answer): boolean => status < 300 || status === 409 || status === 502;

/** Uses stored values and removes them before the next ones. */
const USES: Record<string, (answer: Answer, filler: Filler) => Promise<unknown>> = {
  updateAgent: (_answer, filler) => talk(filler),
  createDocument: async ({ body }, filler) => {
    await talk(filler);
    await own(`DELETE /agents/${ids['agent']}/documents/${body.id}`);
  },
  updateTrigger: (_answer, filler) => talk(filler),
  createAgent: ({ body }) => own(`DELETE /agents/${body.id}`),
  createTrigger: ({ body }) => own(`DELETE /triggers/${body.id}`),
  createCampaign: ({ body }) => own(`DELETE /campaigns/${body.id}`),
  updateCampaign: () => own(`GET /campaigns/${ids['campaign']}`),
  createWebhook: ({ body }) => own(`DELETE /webhooks/${body.id}`),
  createToolSecret: ({ body }) => own(`DELETE /agents/${ids['agent']}/tool-secrets/${body.id}`),
  createImport: ({ body }) => own(`POST /end-user-imports/${body.id}/cancel`),
  createKey: ({ body }) => own(`POST /keys/${body.id}/revoke`),
};

/** The agent opens, and then answers the longest message. */
const rankOf = ({ name }: Operation): number => [...Object.keys(USES), name].indexOf(name);

async function talk(filler: Filler): Promise<void> {
  const to = `/api/triggers/${ids['agent']}/${ids['trigger']}`;
  const conversation = { key: `talk-${made++}` };
  const headers = { authorization: `Bearer ${key}`, prefer: 'wait=20' };
  for (const message of [undefined, filler.text(MAX_MESSAGE_CHARACTERS)]) {
    const answer = await send('POST', to, { end_user: { external_id: 'one' }, conversation, message }, headers);
    expect([200, 202, 422]).toContain(answer.status);
  }
}

/** Attributes of a person are merged and have a limit: each upsert is of a new person. */
const externalFor = (operation: string): string => (operation === 'upsertEndUser' ? `new-${made++}` : 'one');

const pathOf = ({ name: operation, path: template }: Operation): string =>
  template.replaceAll(/\{(\w+?)(_id)?\}/g, (_whole, noun: string) => {
    const name = { end_user: 'enduser', endpoint: 'whk' }[noun] ?? noun;
    return (
      ids[name] ??
      { external: externalFor(operation), channel_kind: 'sms', provider: 'anthropic', piece: '0' }[noun] ??
      `${noun}_x`
    );
  });

async function sendBody(operation: Operation, body: unknown): Promise<Answer> {
  const { name, api, method } = operation;
  const kind = 'kind' in operation ? { agent_id: ids['agent'], name: 'C', kind: operation.kind } : {};
  const bearer = pathOf(operation).startsWith('/api/campaigns') ? campaignKey : key;
  const headers: Record<string, string> = api === 'public' ? { authorization: `Bearer ${bearer}` } : { cookie };
  const to = name === 'setModel' ? pathOf(operation).replace(/[^/]+$/, 'google') : pathOf(operation);
  return send(method, to, { ...kind, ...(body as object) }, headers);
}

/** The largest accepted fraction, otherwise the last refusal. */
async function sendHeaviest(operation: Operation, field: Field, filler: Filler): Promise<Answer> {
  let answer: Answer | null = null;
  const address = `${model.url}/`;
  for (const scale of SCALES) {
    const room = { bytes: operation.maxBytes * 0.9, keys: operation.maxKeys - 50 };
    const making = { field, filler, ...room, scale, ids, address, refs };
    answer = await sendBody(operation, heaviestBody(operation.body!, BASES[operation.name]?.(field), making));
    if (![400, 413, 422].includes(answer.status)) break;
  }
  return answer!;
}

/** Leaves that get every filler. Equal leaves in other places get one filler, in rotation. */
const seen = new Set<string>();
let turn = 0;
function fillersFor(operation: Operation, { leaf, name }: Field): readonly Filler[] {
  const isText = leaf.type === 'string' && !leaf.pattern && !leaf.format;
  const isAny = leaf.type === undefined && !leaf.enum && !leaf.anyOf;
  const known = JSON.stringify(leaf);
  const isNew = (isText || isAny) && !seen.has(known);
  seen.add(known);
  const { maxLength = SHORT } = leaf;
  if (isNew && maxLength >= LONGEST) return FILLERS.filter(({ isProse }) => isProse);
  if (isNew && maxLength >= SHORT && operation.name in USES)
    return FILLERS.filter(({ isPattern }) => !isPattern || name.endsWith('/pattern'));
  return Array.from({ length: isNew ? FEW : 1 }, () => FILLERS[turn++ % FILLERS.length]!);
}

/** An update stores the same definition and then uses it. */
const isSentBefore = ({ name }: Operation, field: Field): boolean =>
  name === 'createAgent' && field.name.startsWith('/definition');

/** Valid wherever a text is allowed. */
const PLAIN = FILLERS.find(({ name }) => name === 'short words')!;
/** The number at the time of writing, as a minimum. A walk that finds no fields would find no faults. */
const LEAST_FIELDS = 450;

test('no value that a schema allows delays other requests', { tags: ['long'], timeout: 600_000 }, async () => {
  seen.clear();
  const health = watchHealth(server);
  const faults: string[] = [];
  const refused: string[] = [];
  let fields = 0;
  let resident = 0;
  for (const operation of operations) {
    const { name } = operation;
    for (const field of fieldsOf(operation.body!, refs)) {
      fields++;
      if (isSentBefore(operation, field)) continue;
      let isAccepted = false;
      const attempt = async (filler: Filler): Promise<Answer> => {
        const answer = await sendHeaviest(operation, field, filler);
        if (isTaken(answer)) await USES[name]?.(answer, filler);
        const at = `${name} ${field.name} (${filler.name}), ${answer.status} ${answer.body?.code ?? ''}`;
        if (answer.status === 500 || answer.status === 503) faults.push(at);
        const worst = health.worst();
        if (worst >= MAX_WAIT_MS) faults.push(`${at}: ${worst.toFixed(0)} ms`);
        isAccepted ||= isRead(answer);
        return answer;
      };
      for (const filler of fillersFor(operation, field)) await attempt(filler);
      if (isAccepted || !TAKEN.has(name.replace(' ', '_'))) continue;
      const { status, body } = await attempt(PLAIN);
      if (!isAccepted) refused.push(`${name} ${field.name}: ${status} ${body?.code}`);
    }
    resident = Math.max(resident, server.residentMib());
  }
  await health.stop();
  expect(faults).toEqual([]);
  expect(refused).toEqual(REFUSED);
  expect(fields).toBeGreaterThanOrEqual(LEAST_FIELDS);
  expect(resident).toBeLessThan(MAX_RESIDENT_MIB);
});
