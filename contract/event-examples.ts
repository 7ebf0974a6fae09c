import type { Static } from 'typebox';
import type { EventType } from './event-types.ts';
import type { EVENT_DATA } from './events.ts';
import { NO_RESULT } from './results.ts';

/** An example of `data` for each event type, for the reference and docs/events.md. A test validates each example. */
const conversation = {
  id: 'conv_01kapj8v0xf2tbqd3x7nhm4c5r',
  agent_id: 'agent_01kapj8tq2e8p9d4s6wvrk1y3z',
  channel_id: 'channel_01kapj8tq4fhm2c7x9bn5t6w8d',
  end_user_id: 'enduser_01kapj8v0wek3m5r7t9xbd2f4h',
  key: 'order-A-1043',
  status: 'open' as const,
  locale: 'en',
  tags: [],
  run_id: 'run_01kapj8v0yf6w8z1c3e5g7j9mn',
  created_at: '2026-11-21T06:00:00.000Z',
  updated_at: '2026-11-21T06:00:00.000Z',
};

const message = {
  id: 'msg_01kapj8w3ef0r2t4v6x8z1b3d5',
  conversation_id: conversation.id,
  agent_id: conversation.agent_id,
  channel_id: conversation.channel_id,
  end_user_id: conversation.end_user_id,
  run_id: conversation.run_id,
  role: 'agent' as const,
  content: { type: 'text' as const, text: 'Your order A-1043 has shipped.' },
  sources: [],
  status: 'sent' as const,
  error: null,
  metadata: {},
  created_at: '2026-11-21T06:00:01.000Z',
};

const run = {
  id: conversation.run_id,
  status: 'completed' as const,
  reason: 'resolved',
  error: null,
  agent_id: conversation.agent_id,
  trigger_id: 'trigger_01kapj8tq6ep4r6t8w1y3b5d7f',
  conversation_id: conversation.id,
  end_user_id: conversation.end_user_id,
  channel_id: conversation.channel_id,
  metadata: { source: 'crm' },
  agent_version: 12,
  result: {
    status: 'complete' as const,
    data: { day: '2026-11-24', people: 4 },
    missing: [],
    updated_at: '2026-11-21T06:20:00.000Z',
  },
  created_at: '2026-11-21T06:00:00.000Z',
  finished_at: '2026-11-21T06:20:00.000Z',
};

const endUser = {
  id: conversation.end_user_id,
  external_id: 'crm-42',
  name: 'Asha',
  email: 'asha@example.qa',
  phone: '+97430000000',
  locale: 'en',
  time_zone: 'Asia/Qatar',
  attributes: { tier: 'gold' },
  tags: [],
  consent: {},
  blocked: false,
  created_at: '2026-11-21T06:00:00.000Z',
  updated_at: '2026-11-21T06:00:00.000Z',
  last_seen_at: null,
};

const apiKey = {
  id: 'key_01kapj8s5tf9b1d3f5h7k9m2p4',
  label: 'CRM',
  prefix: 'parley_us_4fQz81',
  scope: 'organization' as const,
  agent_id: null,
  campaign_id: null,
  permissions: ['triggers' as const],
  created_at: '2026-11-21T05:00:00.000Z',
  revoked_at: null,
  leak: null,
};

const budget = {
  id: 'budget_01kapj8s9zh4f6d8b1x3v5t7r9',
  subject: 'agent' as const,
  subject_id: conversation.agent_id,
  period: 'month' as const,
  period_start: '2026-11-01',
  unit: 'USD',
  amount: 200,
  spent: 160.25,
};

const rollout = {
  id: 'rollout_01kapj8s1vf5h7k9m2p4r6t8w1',
  agent_id: conversation.agent_id,
  version: 12,
  base_version: 11,
  percent: 10,
  reason: 'worse' as const,
  comparison: {
    confidence: 0.95,
    base: { version: 11, end_users: 900, problems: { count: 90, part: { value: 0.1, low: 0.072, high: 0.136 } } },
    rolled_out: {
      version: 12,
      end_users: 100,
      problems: { count: 38, part: { value: 0.38, low: 0.246, high: 0.527 } },
    },
    worse_by: { value: 0.28, low: 0.123, high: 0.443 },
  },
  created_at: '2026-11-21T06:00:00.000Z',
  ended_at: '2026-11-21T09:00:00.000Z',
};

const campaignId = 'campaign_01kapj8s7vex2z4b6d8f1h3k5m';

export const EVENT_EXAMPLES: { readonly [T in EventType]: Static<(typeof EVENT_DATA)[T]> } = {
  'conversation.started': conversation,
  'conversation.handed_off': {
    ...conversation,
    status: 'handed_off',
    updated_at: '2026-11-21T06:05:00.000Z',
    result: { status: 'partial', data: { people: 4 }, missing: ['day'], updated_at: '2026-11-21T06:04:00.000Z' },
  },
  'conversation.resolved': { ...conversation, status: 'resolved', updated_at: '2026-11-21T06:20:00.000Z' },
  'conversation.reopened': { ...conversation, updated_at: '2026-11-21T06:30:00.000Z' },
  'message.received': {
    ...message,
    id: 'msg_01kapj9a7gex1z3b5d7f9h2k4m',
    role: 'end_user',
    content: { type: 'text', text: 'When will it arrive?' },
    status: null,
    created_at: '2026-11-21T06:01:00.000Z',
  },
  'message.sent': message,
  'message.delivered': { ...message, status: 'delivered' },
  'message.read': { ...message, status: 'read' },
  'message.failed': {
    ...message,
    status: 'suppressed',
    error: {
      code: 'recipient_opted_out',
      detail: 'The recipient has opted out of this kind of channel.',
      provider_code: null,
    },
  },
  'run.completed': run,
  'run.failed': {
    ...run,
    status: 'failed',
    reason: 'attempts_exhausted',
    error: { code: 'attempts_exhausted', detail: 'The run did not end in 8 attempts.' },
  },
  'run.skipped': { ...run, status: 'skipped', reason: 'opted_out', agent_version: null, result: NO_RESULT },
  'approval.requested': {
    id: 'approval_01kapj8w2c9q3s5v7x0z2b4d6f',
    status: 'pending',
    agent_id: run.agent_id,
    run_id: run.id,
    conversation_id: run.conversation_id,
    tool: 'refund_order',
    arguments: { order_id: 'A-1043', amount: 120 },
    reason: null,
    created_at: '2026-11-21T06:04:00.000Z',
    expires_at: '2026-11-21T07:04:00.000Z',
    decided_at: null,
  },
  'run.result_updated': {
    ...run,
    status: 'waiting_for_user',
    reason: null,
    result: { status: 'partial', data: { people: 4 }, missing: ['day'], updated_at: '2026-11-21T06:04:00.000Z' },
    finished_at: null,
  },
  'end_user.created': endUser,
  'end_user.updated': { ...endUser, tags: ['vip'], updated_at: '2026-11-21T07:00:00.000Z' },
  'end_user.deleted': { id: endUser.id },
  'end_user.opted_out': {
    ...endUser,
    consent: { whatsapp: { status: 'opted_out', source: 'api', at: '2026-11-21T07:00:00.000Z' } },
    updated_at: '2026-11-21T07:00:00.000Z',
    channel_kind: 'whatsapp',
  },
  'campaign.recipient.updated': {
    id: 'rcpt_01kapj8x2hf3v5x7z9c1e3g5j7',
    campaign_id: campaignId,
    end_user_id: endUser.id,
    ref: 'row-17',
    status: 'delivered',
    previous_status: 'sent',
    reason: null,
    conversation_id: conversation.id,
    run_id: run.id,
    created_at: '2026-11-21T06:00:00.000Z',
    updated_at: '2026-11-21T06:00:03.000Z',
  },
  'campaign.ended': {
    id: campaignId,
    agent_id: conversation.agent_id,
    channel_id: conversation.channel_id,
    name: 'November',
    state: 'ended',
    created_at: '2026-11-01T06:00:00.000Z',
    updated_at: '2026-11-30T20:00:00.000Z',
  },
  'api_key.created': apiKey,
  'api_key.revoked': {
    ...apiKey,
    revoked_at: '2026-11-21T08:00:00.000Z',
    leak: { url: 'https://github.com/example/shop/blob/main/.env', source: 'content', signed: true },
  },
  'budget.warning': budget,
  'budget.spent': { ...budget, spent: 199.98 },
  'agent.rollout_stopped': rollout,
  'audit.recorded': {
    id: 'audit_01kapj8s5xg0c2e4g6j8m1n3q5',
    actor: 'user_01kapj8s1ab3d5f7h9k2m4p6r8',
    actor_name: 'Asha Rao',
    actor_email: 'asha@example.qa',
    action: 'api_key.revoked',
    subject_id: apiKey.id,
    facts: { label: 'CRM', prefix: 'parley_us_4fQz81' },
    address: '203.0.113.7',
    request_id: 'req_01kapj8s5wg9b1d3f5h7k0m2p4',
    created_at: '2026-11-21T08:00:00.000Z',
  },
};
