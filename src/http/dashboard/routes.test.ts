import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_BASE, DASHBOARD_ROUTES, type DashboardRoute } from '../../../contract/dashboard/routes.ts';
import { ROLES } from '../../../contract/permissions.ts';
import {
  addMember,
  type Client,
  type DashboardServer,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { raw } from '../../../test/raw-http.ts';
import { newId } from '../../kernel/ids.ts';

/** Generated from the route table: who may call each route, from which site, and with whose ids. */
let server: DashboardServer;
let orgId: string;
const people: Record<string, Client> = {};
const all = Object.entries<DashboardRoute>(DASHBOARD_ROUTES);
const inOrg = all.filter(([, { path }]) => path.startsWith('/organizations/:org_id'));
const outside = all.filter(([, { path }]) => !path.startsWith('/organizations/:org_id'));
const changes = all.filter(([, { method }]) => method !== 'GET');

const PREFIX = {
  agent_id: 'agent',
  document_id: 'doc',
  wording_id: 'wording',
  trigger_id: 'trigger',
  channel_id: 'channel',
  campaign_id: 'campaign',
  key_id: 'key',
  conversation_id: 'conv',
  approval_id: 'approval',
  end_user_id: 'enduser',
  member_id: 'member',
  invitation_id: 'invite',
  session_id: 'session',
  token_id: 'token',
  note_id: 'note',
  saved_reply_id: 'sreply',
  segment_id: 'segment',
  view_id: 'view',
  push_id: 'push',
} as const;

/** The path with ids that do not exist, except for the given ones. */
const pathOf = (path: string, ids: Record<string, string> = {}): string =>
  path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    if (name in ids) return ids[name]!;
    if (name in PREFIX) return newId(PREFIX[name as keyof typeof PREFIX]);
    return name === 'version' ? '7' : 'unknown';
  });

const callOf = ({ method, path }: DashboardRoute, ids: Record<string, string> = {}): string =>
  `${method} ${pathOf(path, { org_id: orgId, ...ids })}`;

const bodyFor = ({ body }: DashboardRoute): unknown => (body ? {} : undefined);

beforeAll(async () => {
  server = await startDashboard();
  const owner = await setUpOwner(server);
  orgId = owner.orgId;
  people['operator'] = owner.call;
  for (const role of ROLES) people[role] = (await addMember(server, owner.call, orgId, role)).call;
  const other = await owner.call('POST /organizations', { name: 'Other' });
  people['stranger'] = (await addMember(server, owner.call, other.body.id, 'owner')).call;
  people['nobody'] = server.as(null);
});
afterAll(() => server.stop());

type Needed = (typeof ROLES)[number] | 'operator';

/**
 * Rights in words, one line for each noun: who reads and who changes. Owners decide about access and erasure; admins
 * manage keys, members and endpoints; members work with agents and channels; viewers read; plans belong to the
 * operator. The tests of a route fail if its noun is missing here, until its rights are written down.
 */
const RIGHTS: Record<string, [read: Needed, change: Needed]> = {
  approvals: ['viewer', 'member'],
  organization: ['viewer', 'admin'],
  plan: ['operator', 'operator'],
  'second-factor': ['owner', 'owner'],
  'sign-in': ['owner', 'owner'],
  retention: ['viewer', 'owner'],
  members: ['viewer', 'admin'],
  invitations: ['admin', 'admin'],
  agents: ['viewer', 'member'],
  triggers: ['viewer', 'member'],
  channels: ['viewer', 'member'],
  campaigns: ['viewer', 'member'],
  keys: ['viewer', 'admin'],
  // Every member has tokens of their own; features/access-tokens decides about those of others.
  'access-tokens': ['viewer', 'viewer'],
  webhooks: ['viewer', 'admin'],
  'event-deliveries': ['viewer', 'admin'],
  events: ['viewer', 'admin'],
  models: ['viewer', 'admin'],
  usage: ['viewer', 'admin'],
  'model-prices': ['viewer', 'admin'],
  budgets: ['viewer', 'admin'],
  conversations: ['viewer', 'member'],
  'hand-offs': ['viewer', 'admin'],
  'member-help': ['viewer', 'admin'],
  'saved-replies': ['viewer', 'member'],
  segments: ['viewer', 'member'],
  'end-users': ['viewer', 'member'],
  'attribute-order': ['viewer', 'admin'],
  'end-user-imports': ['viewer', 'member'],
  requests: ['viewer', 'admin'],
  audit: ['viewer', 'admin'],
  changes: ['viewer', 'admin'],
  numbers: ['viewer', 'admin'],
  analytics: ['viewer', 'admin'],
  questions: ['viewer', 'member'],
  overview: ['viewer', 'admin'],
  // One's own.
  attendance: ['viewer', 'viewer'],
  inbox: ['viewer', 'viewer'],
  'weekly-mail': ['viewer', 'viewer'],
};

/** Routes whose rights differ from those of their noun, with the reason. */
const EXCEPTIONS: Record<string, Needed> = {
  // Every member may leave; features/members decides who may remove others.
  removeMember: 'viewer',
  // Shows a preview and changes nothing.
  previewCampaign: 'viewer',
  reviewCampaign: 'viewer',
  rehearseCampaign: 'member',
  testCampaign: 'member',
  countAudience: 'member',
  // What the reader has seen is the reader's own.
  markConversationSeen: 'viewer',
  // And so is that the reader is here.
  setPresence: 'viewer',
  countFile: 'member',
  previewRetention: 'owner',
  // Reading all data about people, or what each member did, is not for viewers.
  exportEndUsers: 'member',
  exportEndUser: 'member',
  exportTriggerResults: 'member',
  exportCampaignResults: 'member',
  exportRecipients: 'member',
  exportAudit: 'admin',
  // Secrets of a tool are like those of a webhook, though they stand below its agent.
  rotateAgentSecret: 'member',
  createToolSecret: 'admin',
  rotateToolSecret: 'admin',
  setToolCredentials: 'admin',
  deleteToolSecret: 'admin',
  // A domain is proven by its name server, or by the operator of the server.
  confirmSignInDomain: 'operator',
};

/** Routes outside an organization: who may call them. All routes not named below need an ordinary session. */
const ANYBODY =
  'setUp signIn signInWithCode startPasskeySignIn signInWithPasskey readSignInOptions signOut readInvitation acceptInvitation ' +
  'forgotPassword readPasswordLink resetPassword beginSignIn finishSignIn stopWeeklyMail';
/** What a session of one organization needs to show its pages. */
const ANY_SESSION = 'readSession readDescription listOrganizations';
const ONESELF =
  'changePassword listSessions endOtherSessions endSession joinByInvitation readSecondFactor startAuthenticator ' +
  'confirmAuthenticator removeAuthenticator renewRecoveryCodes startPasskey addPasskey renamePasskey removePasskey ' +
  'sendEmailLink verifyEmail createOrganization';

function lowestRole(name: string, { method, path }: DashboardRoute): Needed {
  const noun = path.split('/')[3] ?? 'organization';
  const rights = RIGHTS[noun];
  if (!rights) throw new Error(`Say in RIGHTS who may read and change ${noun}.`);
  return EXCEPTIONS[name] ?? rights[method === 'GET' ? 0 : 1];
}

describe.each(inOrg)('%s', (name, route) => {
  const needed = lowestRole(name, route);

  it.each(ROLES)(`the rights of the caller decide about %s`, async (role) => {
    const { status, body } = await people[role]!(callOf(route), bodyFor(route));
    const mayCall = needed !== 'operator' && ROLES.indexOf(role) <= ROLES.indexOf(needed);
    const refusal = needed === 'operator' ? 'operator_required' : 'role_missing';
    expect({ role, refused: status === 403 ? body.code : null }).toEqual({ role, refused: mayCall ? null : refusal });
    expect([401, 500]).not.toContain(status);
    expect(body?.code).not.toBe('organization_not_found');
  });

  it('others get 404 for the organization, and callers without a session are asked to sign in', async () => {
    const stranger = await people['stranger']!(callOf(route), bodyFor(route));
    expect([stranger.status, stranger.body.code]).toEqual([404, 'organization_not_found']);
    const nobody = await people['nobody']!(callOf(route), bodyFor(route));
    expect([nobody.status, nobody.body.code]).toEqual([401, 'session_missing']);
    for (const org_id of [newId('org'), 'org_1', 'a%2fb', "'%20OR%201=1"]) {
      const answer = await people['owner']!(callOf(route, { org_id }), bodyFor(route));
      expect([answer.status, answer.body.code]).toEqual([404, 'organization_not_found']);
    }
  });
});

describe('outside an organization', () => {
  const named = (access: string) => outside.filter(([, route]) => route.access === access).map(([name]) => name);

  it('each route accepts only the callers in the list', () => {
    expect(named('public').toSorted()).toEqual(ANYBODY.split(' ').toSorted());
    expect(named('any_session').toSorted()).toEqual(ANY_SESSION.split(' ').toSorted());
    expect(named('signed_in').toSorted()).toEqual(ONESELF.split(' ').toSorted());
  });

  it.each(outside.filter(([, { access }]) => access !== 'public'))(
    'the route %s asks callers without a session to sign in',
    async (_name, route) => {
      const { status, body } = await people['nobody']!(callOf(route), bodyFor(route));
      expect([status, body.code]).toEqual([401, 'session_missing']);
    },
  );
});

describe('a change', () => {
  it.each(changes)('%s is refused when another site sends it', async (_name, route) => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const { status, body } = await people['operator']!(callOf(route), bodyFor(route), headers as never);
      expect([status, body.code]).toEqual([403, 'origin_refused']);
    }
  });
});

describe('a foreign host name', () => {
  it.each(all)('a foreign host name does not reach %s', async (_name, route) => {
    const port = Number(new URL(server.url).port);
    const asked = await raw(port, {
      method: route.method,
      path: DASHBOARD_BASE + pathOf(route.path, { org_id: orgId }),
      bare: true,
      headers: ['Host: rebound.example', 'X-Forwarded-Host: us.parley.example', 'Connection: close'],
    });
    expect([asked.status, asked.json().code]).toEqual([421, 'host_unknown']);
  });
});

describe('the plan', () => {
  it('only the operator can change the plan, in every organization', async () => {
    const { body } = await people['stranger']!('GET /session');
    const [{ id }] = body.organizations;
    const set = await people['operator']!(`PUT /organizations/${id}/plan`, { plan: 'paid' });
    expect(set).toMatchObject({ status: 200, body: { id, plan: 'paid' } });
    expect((await people['stranger']!(`GET /organizations/${id}`)).body).toMatchObject({ plan: 'paid', role: 'owner' });
    const refused = await people['stranger']!(`PUT /organizations/${id}/plan`, { plan: 'paid' });
    expect([refused.status, refused.body.code]).toEqual([403, 'operator_required']);
  });
});

describe('ids of another organization', () => {
  it.each(
    inOrg.filter(([, { path }]) =>
      /:(agent|document|trigger|channel|campaign|member|invitation|key|conversation|end_user|import|source|saved_reply|segment|push|view)_id/.test(
        path,
      ),
    ),
  )('the route %s returns 404 for records of another organization', async (_name, route) => {
    const mine = await thingsOf(people['operator']!, orgId);
    const { body } = await people['stranger']!('GET /session');
    const isFile = route === DASHBOARD_ROUTES.uploadDocument || route === DASHBOARD_ROUTES.sendFileInConversation;
    const query = isFile ? '?name=D' : route === DASHBOARD_ROUTES.suggestPassages ? '?question=Open' : '';
    const call = `${route.method} ${pathOf(route.path, { ...mine, org_id: body.organizations[0].id })}${query}`;
    const answer = await people['stranger']!(call, validBody(route));
    expect(answer.status).toBe(404);
    expect(answer.body.code).toMatch(/_not_found$/);
  });
});

let things: Promise<Record<string, string>> | null = null;
const thingsOf = (call: Client, org: string): Promise<Record<string, string>> => (things ??= makeThings(call, org));

async function makeThings(call: Client, org: string): Promise<Record<string, string>> {
  const at = `/organizations/${org}`;
  const agent = (await call(`POST ${at}/agents`, { name: 'Mine' })).body;
  const agent_id = agent.id;
  const channel_id = agent.sandbox_channel_id;
  const document = await call(`POST ${at}/agents/${agent_id}/documents`, { name: 'Doc', text: 'Words.' });
  const trigger = await call(`POST ${at}/triggers`, { agent_id, name: 'T' });
  const campaign = await call(`POST ${at}/campaigns`, { agent_id, channel_id, name: 'C' });
  const key = await call(`POST ${at}/keys`, { label: 'K', scope: 'organization', permissions: ['triggers'] });
  const started = await call(`POST ${at}/triggers/${trigger.body.id}/test`, { end_user: { external_id: 'mine' } });
  const note = await call(`POST ${at}/conversations/${started.body.conversation_id}/notes`, { text: 'N' });
  const view = await call(`POST ${at}/conversations/views`, {
    name: newId('view'),
    shared: true,
    filters: { view: 'mine' },
  });
  const segment = await call(`POST ${at}/segments`, { name: newId('segment'), filters: { tag: 'vip' } });
  const saved = await call(`POST ${at}/saved-replies`, {
    name: 'S',
    shortcut: newId('sreply'),
    text: { default: 'x' },
  });
  const file = await call(`POST ${at}/end-user-imports`, { name: 'people.csv', bytes: 12 });
  const invitation = await call(`POST ${at}/invitations`, { email: 'x@example.qa', role: 'viewer' });
  const members = await call(`GET ${at}/members`);
  const source = await call(`POST ${at}/agents/${agent_id}/sources`, VALID['createSource']);
  const secret = await call(`POST ${at}/agents/${agent_id}/tool-secrets`, VALID['createToolSecret']);
  const read = await call(`GET ${at}/agents/${agent_id}/wordings/passages?question=words`);
  const [{ document_id, passage }] = read.body.passages;
  const wording = await call(`POST ${at}/agents/${agent_id}/wordings`, { question: 'Open?', document_id, passage });
  return {
    agent_id,
    channel_id,
    wording_id: wording.body.id,
    message_id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ab',
    document_id: document.body.id,
    trigger_id: trigger.body.id,
    campaign_id: campaign.body.id,
    invitation_id: invitation.body.id,
    key_id: key.body.id,
    conversation_id: started.body.conversation_id,
    note_id: note.body.id,
    saved_reply_id: saved.body.id,
    segment_id: segment.body.id,
    view_id: view.body.id,
    end_user_id: started.body.end_user_id,
    import_id: file.body.id,
    push_id: newId('push'),
    channel_kind: 'sandbox',
    piece: '0',
    member_id: members.body.data[1].id,
    version: '1',
    tool_secret_id: secret.body.id,
    source_id: source.body.id,
  };
}

const TOOL = { name: 'look_up', description: 'Looks up.', parameters: { type: 'object' }, url: 'https://x.example/t' };

const VALID: Record<string, unknown> = {
  translateText: { text: 'Hello', to: 'ar' },
  updateAgent: { name: 'Theirs' },
  tryAgent: {},
  setSuite: { cases: [] },
  checkSuite: { cases: [] },
  replayConversation: { conversation_id: newId('conv') },
  setHandOffRules: { goes_to: 'no_one', user_id: null, hours: null, outside: null },
  setPresence: { presence: 'here' },
  settleMissedQuestions: { message_ids: [newId('msg')] },
  addWording: { question: 'Open?', document_id: newId('doc'), passage: '0'.repeat(32) },
  testAgent: { case: { name: 'Opens', turns: [{}] } },
  tryTool: { tool: TOOL },
  listMcpTools: { server: 'shop', url: TOOL.url },
  createToolSecret: { tool: TOOL.name, url: TOOL.url },
  rotateToolSecret: { overlap: 'now' },
  setToolCredentials: { bearer: 'token' },
  createSource: { url: 'https://site.example/', kind: 'site' },
  updateSource: { schedule: 'daily' },
  createDocument: { name: 'D', text: 'x' },
  setRollout: { version: 1, percent: 10 },
  updateTrigger: { name: 'Theirs' },
  testTrigger: {},
  updateChannel: { name: 'Theirs' },
  sendTest: { address: 'x', content: { type: 'text', text: 'x' } },
  updateCampaign: { name: 'Theirs' },
  previewCampaign: { settings: {} },
  rehearseCampaign: { made_up: { count: 1 } },
  testCampaign: { settings: {}, address: 'x' },
  countAudience: { filters: {} },
  countFile: { file: 'id' },
  startPush: { filters: {} },
  setCampaignSchedule: { segment_id: newId('segment'), days: [1], at: '09:00' },
  setMemberRole: { role: 'viewer' },
  renameKey: { label: 'Theirs' },
  shortenKeyNetworks: { allowed_networks: ['203.0.113.0/24'] },
  lowerKeyLimits: { total: 5 },
  rotateKey: { overlap: 'now' },
  sayInConversation: { text: 'x' },
  replyInConversation: { text: 'x' },
  assignConversation: { user_id: null },
  setConversationTags: { tags: ['theirs'] },
  snoozeConversation: { until: null },
  changeConversations: { ids: [newId('conv')], action: { type: 'resolve' } },
  addNote: { text: 'x' },
  updateSavedReply: { name: 'Theirs' },
  createConversationView: { name: 'Theirs', shared: true, filters: { view: 'mine' } },
  createSegment: { name: 'Theirs', filters: { tag: 'vip' } },
  updateEndUser: { name: 'Theirs' },
  tagEndUsers: { ids: [newId('enduser')], action: 'add', tag: 'theirs' },
  setEndUserConsent: { status: 'opted_out' },
  runImport: { columns: ['external_id'], delimiter: ',', encoding: 'utf-8', dry_run: true },
};
const validBody = (route: DashboardRoute): unknown => VALID[all.find(([, each]) => each === route)![0]];

describe('the description', () => {
  it('the description contains every mounted route, and is only for callers with a session', async () => {
    expect((await people['nobody']!('GET /openapi.json')).status).toBe(401);
    const { body } = await people['viewer']!('GET /openapi.json');
    const described = Object.values(body.paths as Record<string, object>).flatMap(Object.keys);
    expect(body.openapi).toBe('3.1.0');
    expect(described).toHaveLength(all.length);
    for (const [, route] of all) {
      const { body: answer } = await people['nobody']!(callOf(route), bodyFor(route));
      expect(answer?.code).not.toBe('route_not_found');
    }
  });
});
