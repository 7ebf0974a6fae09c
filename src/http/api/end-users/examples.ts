/** The examples of the reference, which tests validate. */
export const exampleEndUser = {
  id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af',
  external_id: 'crm-42',
  name: 'Asha',
  email: 'asha@example.qa',
  phone: '+97430000000',
  locale: 'ar',
  time_zone: 'Asia/Qatar',
  attributes: { plan: 'gold' },
  tags: ['vip'],
  identities: [],
  consent: { whatsapp: { status: 'opted_in', source: 'api', at: '2026-11-20T20:00:00.000Z' } },
  blocked: false,
  created_at: '2026-11-20T20:00:00.000Z',
  updated_at: '2026-11-20T20:00:00.000Z',
  last_seen_at: null,
};

export const exampleConversation = {
  id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
  agent_id: 'agent_01k8v3m9e5f7rsm6z4n0q2x1ac',
  channel_id: 'channel_01k8v3m9e5f7rsm6z4n0q2x1ag',
  channel_kind: 'whatsapp',
  key: 'order-A-1043',
  status: 'open',
  locale: 'ar',
  tags: [],
  rating: null,
  created_at: '2026-11-20T20:00:00.000Z',
  updated_at: '2026-11-20T20:00:00.000Z',
};

export const exampleMessage = {
  id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ak',
  role: 'end_user',
  content: { type: 'text', text: 'Where is my order?' },
  sources: [],
  created_at: '2026-11-20T20:00:00.000Z',
};
