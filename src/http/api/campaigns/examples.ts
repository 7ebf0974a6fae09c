/** The examples of the reference, which tests validate. */
const at = '2026-11-20T20:00:00.000Z';

export const exampleRecipient = {
  id: 'rcpt_01k8v3m9e5f7rsm6z4n0q2x1ab',
  campaign_id: 'campaign_01k8v3m9e5f7rsm6z4n0q2x1ac',
  end_user_id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af',
  ref: 'row-1',
  status: 'delivered',
  reason: null,
  variables: { voucher: 'WELCOME' },
  send_at: null,
  due_at: null,
  conversation_id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
  run_id: 'run_01k8v3m9e5f7rsm6z4n0q2x1ad',
  created_at: at,
  updated_at: at,
};

export const exampleCampaign = {
  id: exampleRecipient.campaign_id,
  agent_id: 'agent_01k8v3m9e5f7rsm6z4n0q2x1ag',
  channel_id: 'channel_01k8v3m9e5f7rsm6z4n0q2x1ah',
  name: 'Welcome back',
  state: 'live',
  window: {
    starts_at: null,
    ends_at: null,
    hours: { from: '09:00', to: '18:00', days: [1, 2, 3, 4, 7] },
    quiet_hours: { from: '21:00', to: '08:00' },
    time_zone: 'Asia/Qatar',
  },
  limits: { per_minute: 600, recipients_per_call: 1_000 },
  counts: {
    pending: 2,
    waiting_window: 1,
    sending: 0,
    sent: 0,
    delivered: 40,
    read: 0,
    replied: 7,
    completed: 3,
    failed: 0,
    cancelled: 0,
    suppressed: 1,
    expired: 0,
  },
  total: 54,
  created_at: at,
  updated_at: at,
};
