import { randomUUID } from 'node:crypto';
import { DASHBOARD_BASE } from '../../contract/dashboard/routes.ts';
import type { Random } from '../faults/random.ts';
import { actorNamed } from './compose.ts';
import { mutated, type Surroundings, validBody } from './odd-bodies.ts';
import { oddCsv, oddDocument, oddPattern, oddTemplate, oddText } from './odd-texts.ts';
import type { Operation } from './operations.ts';
import type { Reply, AttackRequest } from './send-request.ts';
import type { Actor, World } from './world.ts';

/** Attacks of several requests, in which a later request needs the earlier requests. */
export type StoryContext = {
  random: Random;
  world: World;
  around: Surroundings;
  operations: readonly Operation[];
  fire(shot: AttackRequest): Promise<Reply>;
};
type Story = (context: StoryContext) => Promise<void>;

const send = async (
  { fire }: StoryContext,
  actor: Actor,
  line: string,
  body?: unknown,
  headers: [string, string][] = [],
): Promise<Record<string, string>> => {
  const [method, target] = line.split(' ') as [string, string];
  const type: [string, string][] = body === undefined ? [] : [['Content-Type', 'application/json']];
  const bytes = body === undefined ? null : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const { text } = await fire({ actor, method, target, headers: [...type, ...headers], body: bytes });
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {};
};

const home = ({ world }: StoryContext): string => `${DASHBOARD_BASE}/organizations/${world.planted['org']![0]}`;
const first = ({ world }: StoryContext, prefix: string): string => world.planted[prefix]![0]!;

const say = (context: StoryContext): Promise<unknown> => {
  const key = actorNamed(context.world, 'key');
  const body = {
    message: oddText(context.random, 4_000) || 'x',
    conversation: { key: `c${context.random.between(1, 9)}` },
  };
  const wait: [string, string][] = context.random.chance(0.3) ? [['Prefer', 'wait=2']] : [];
  return send(context, key, `POST /api/triggers/${first(context, 'agent')}/${first(context, 'trigger')}`, body, wait);
};

/** This story publishes an extreme definition, which then receives messages. */
const definition: Story = async (context) => {
  const { random, around, operations } = context;
  const member = actorNamed(context.world, 'member');
  const update = operations.find(({ name }) => name === 'updateAgent')!;
  const text = (): object => ({ default: oddTemplate(random) || 'x' });
  const rule = (_: unknown, at: number): object => ({
    name: `r${at}`,
    pattern: oddPattern(random) || 'a',
    ...(random.chance(0.5) ? { reply: text() } : { tag: 't' }),
  });
  const own = { opening: text(), dont_know: text(), rules: Array.from({ length: random.between(1, 60) }, rule) };
  const valid = random.chance(0.5) ? { definition: own } : validBody(update, { definition: own }, random, around);
  const sent = random.chance(0.2) ? mutated(valid, random) : valid;
  await send(context, member, `PATCH ${home(context)}/agents/${first(context, 'agent')}`, sent);
  await send(context, member, `POST ${home(context)}/agents/${first(context, 'agent')}/playground`, {
    ...(sent as object),
    messages: [{ role: 'end_user', text: oddText(random, 4_000) || 'x' }],
  });
  await say(context);
};

const documents: Story = async (context) => {
  const member = actorNamed(context.world, 'member');
  const to = `${home(context)}/agents/${first(context, 'agent')}/documents`;
  const name = oddText(context.random, 100) || 'D';
  const { id } = await send(context, member, `POST ${to}`, { name, text: oddDocument(context.random) });
  await say(context);
  await send(context, member, `GET ${to}/${id}`);
  if (context.random.chance(0.8)) await send(context, member, `DELETE ${to}/${id}`);
};

const imports: Story = async (context) => {
  const { random } = context;
  const member = actorNamed(context.world, 'member');
  const file = oddCsv(random).subarray(0, 1024 * 1024);
  const to = `${home(context)}/end-user-imports`;
  const bytes = Math.max(1, file.length);
  const { id } = await send(context, member, `POST ${to}`, { name: 'people.csv', bytes });
  const type: [string, string] = ['Content-Type', 'application/octet-stream'];
  await context.fire({ actor: member, method: 'PUT', target: `${to}/${id}/pieces/0`, headers: [type], body: file });
  const look = await send(context, member, `GET ${to}/${id}/preview`);
  const header = (look['header'] ?? []) as readonly string[];
  const settings = { delimiter: look['delimiter'] ?? ',', encoding: look['encoding'] ?? 'utf-8' };
  const targets = ['external_id', 'email', 'phone', 'tags', 'attributes.a', null];
  const columns = header.map((_, at) => targets[at] ?? null);
  await send(context, member, `POST ${to}/${id}/run`, { ...settings, columns, dry_run: random.chance(0.7) });
  await send(context, member, `GET ${to}/${id}/faults`);
  await send(context, member, `GET ${to}/${id}/failed-rows.csv`);
  await send(context, member, `POST ${to}/${id}/cancel`);
};

const visitor: Story = async (context) => {
  const { random, world } = context;
  const stranger = actorNamed(world, 'stranger');
  const to = `/chat/${first(context, 'channel')}`;
  const origin: [string, string] = ['Origin', random.chance(0.9) ? 'https://shop.example' : 'https://evil.example'];
  const opened = await send(context, stranger, `POST ${to}/sessions`, { locale: 'ar' }, [origin]);
  const token: [string, string] = ['Authorization', `Bearer ${opened['token'] ?? 'x'}`];
  for (let count = random.between(1, 3); count > 0; count--) {
    const body = { client_id: randomUUID(), text: oddText(random, 4_000) || 'x' };
    const sent = random.chance(0.2) ? mutated(body, random) : body;
    await send(context, stranger, `POST ${to}/messages`, sent, [origin, token]);
  }
  await send(context, stranger, `GET ${to}/messages`, undefined, [origin, token]);
  await send(context, stranger, `GET ${to}/events`, undefined, [origin, token]);
};

/** This story makes calls that claim to come from a provider, and opens public pages. */
const outside: Story = async (context) => {
  const { random, world } = context;
  const stranger = actorNamed(world, 'stranger');
  const channel = random.pick(world.planted['channel']!);
  const kind = random.pick(['slack', 'webhook', 'telegram', 'whatsapp', 'sms', 'email', 'web_chat', '__proto__']);
  const signed: [string, string][] = [
    ['webhook-id', 'a'],
    ['webhook-timestamp', String(Math.floor(Date.now() / 1_000))],
    ['webhook-signature', `v1,${oddText(random, 40).replaceAll(/[^\x20-\x7e]/g, 'x')}`],
    ['x-slack-signature', 'v0=00'],
    ['x-slack-request-timestamp', '9999999999'],
  ];
  await send(context, stranger, `POST /inbound/${kind}/${channel}`, Buffer.from(oddText(random, 20_000)), signed);
  await send(context, stranger, `GET /inbound/${kind}/${channel}?hub.mode=subscribe&hub.challenge=a`);
  for (const page of [`/chat/${channel}`, `/chat/${channel}/widget.js`, '/docs/problems', '/ready', '/metrics'])
    await send(context, stranger, `GET ${page}`);
};

const mcp: Story = async (context) => {
  const { random, world } = context;
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const name = random.pick(['startConversation', 'createEndUser', 'searchEndUsers', 'getMe', '__proto__']);
  const given = {
    agent_id: first(context, 'agent'),
    trigger_id: first(context, 'trigger'),
    message: oddText(random, 500),
  };
  const called = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: mutated(given, random) } };
  const accept: [string, string][] = [['Accept', 'application/json, text/event-stream']];
  const actor = random.pick([actorNamed(world, 'key'), actorNamed(world, 'stranger')]);
  for (const message of [list, called, mutated(called, random)])
    await send(context, actor, 'POST /mcp', message, accept);
};

/** The number of stories per hundred attacks. All attacks that are not stories are single requests. */
export const STORIES: readonly [number, Story][] = [
  [8, definition],
  [4, documents],
  [5, imports],
  [6, visitor],
  [4, outside],
  [4, mcp],
];
