import type { TurnAnswer, TurnRequested } from './turns.ts';

/** The examples of the OpenAPI description, which fit the schemas. */
export const TURN_EXAMPLE: TurnRequested & { end_user: Record<string, unknown> } = {
  type: 'turn.requested',
  turn: {
    id: 'turn_01kapj8w4hf1t3v5x7z9c2e4g6',
    attempt: 1,
    deadline: '2026-11-21T06:20:30.000Z',
    reply_url: 'https://us.parley.example/inbound/turns/turn_01kapj8w4hf1t3v5x7z9c2e4g6',
    reply_token: 'h2Yk…',
  },
  run: {
    id: 'run_01kapj8w4hf1t3v5x7z9c2e4g6',
    trigger_id: 'trigger_01kapj8s9zh4f6d8b1x3v5t7r9',
    variables: { order_id: 'A-1043' },
    metadata: { source: 'crm' },
  },
  conversation: {
    id: 'conv_01kapj8w4hf1t3v5x7z9c2e4g6',
    key: 'order-A-1043',
    locale: 'ar',
    channel_kind: 'whatsapp',
  },
  end_user: { id: 'enduser_01kapj8s9zh4f6d8b1x3v5t7r9', external_id: 'crm-42', name: 'Asha' },
  messages: [
    {
      id: 'msg_01kapj8w4hf1t3v5x7z9c2e4g6',
      role: 'end_user',
      content: { type: 'text', text: 'When does it ship?' },
      sources: [],
      created_at: '2026-11-21T06:20:00.000Z',
    },
  ],
};

export const TURN_ANSWER_EXAMPLE: TurnAnswer = {
  messages: [{ content: { type: 'text', text: 'It ships on Monday.' } }],
  next: 'wait',
  result: { day: '2026-11-23' },
  tags: ['shipping'],
};
