/** The examples of the reference, which tests validate and compare with the responses of the program. */
const run = {
  id: 'run_01k8v3m9e5f7rsm6z4n0q2x1ab',
  status: 'queued',
  agent_id: 'agent_01k8v3m9e5f7rsm6z4n0q2x1ac',
  trigger_id: 'trigger_01k8v3m9e5f7rsm6z4n0q2x1ad',
  conversation_id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
  end_user_id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af',
  channel_id: 'channel_01k8v3m9e5f7rsm6z4n0q2x1ag',
  created_at: '2026-11-20T20:00:00.000Z',
};

const message = {
  id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ah',
  role: 'agent',
  content: { type: 'text', text: 'Hello Asha, your order A-1043 has shipped.' },
  sources: [],
  created_at: '2026-11-20T20:00:01.000Z',
};

export const acceptedRun = { outcome: 'accepted', ...run };

export const answeredRun = { outcome: 'answered', ...run, status: 'waiting_for_user', messages: [message] };

export const dryRun = {
  outcome: 'dry_run',
  dry_run: true,
  agent_id: run.agent_id,
  trigger_id: run.trigger_id,
  channel_id: run.channel_id,
  channel_kind: 'sandbox',
  recipient: { end_user_id: null, would_create: true, address: null },
  conversation: { id: null, would: 'start' },
  variables: { order_id: 'A-1043' },
  opening: 'Hello Asha, your order A-1043 has shipped.',
  skip_reason: null,
  send_at: null,
};

export const runRecord = {
  ...run,
  status: 'waiting_for_user',
  reason: null,
  error: null,
  metadata: { source: 'crm' },
  attempts: 1,
  agent_version: 12,
  result: {
    status: 'partial',
    data: { people: 4 },
    missing: ['day'],
    updated_at: '2026-11-20T20:00:01.000Z',
  },
  rating: null,
  request_id: 'req_01k8v3m9e5f7rsm6z4n0q2x1ai',
  send_at: null,
  finished_at: null,
};

export const runEvents = [
  { event: 'run', data: { ...runRecord, status: 'running' } },
  { event: 'delta', data: { text: 'Hello Asha, your order' } },
  { event: 'delta', data: { text: ' A-1043 has shipped.' } },
  { event: 'message', id: message.id, data: message },
  { event: 'run', data: runRecord },
];
