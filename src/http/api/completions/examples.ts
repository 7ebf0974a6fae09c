import { answeredRun } from '../triggers/examples.ts';

/** The examples of the reference, which tests validate. */
export const modelList = {
  object: 'list',
  data: [
    {
      id: answeredRun.agent_id,
      object: 'model',
      created: 1_795_204_800,
      owned_by: 'org_01k8v3m9e5f7rsm6z4n0q2x1aj',
      name: 'Concierge',
    },
  ],
};

export const completionCall = {
  model: answeredRun.agent_id,
  messages: [{ role: 'user', content: 'When does my order ship?' }],
  user: 'crm-42',
  metadata: { conversation: 'order-A-1043' },
};

export const completion = {
  id: answeredRun.id,
  object: 'chat.completion',
  created: 1_795_204_800,
  model: answeredRun.agent_id,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello Asha, your order A-1043 has shipped.', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 212, completion_tokens: 14, total_tokens: 226 },
  parley: {
    run_id: answeredRun.id,
    trigger_id: answeredRun.trigger_id,
    conversation_id: answeredRun.conversation_id,
    end_user_id: answeredRun.end_user_id,
    status: answeredRun.status,
    reason: null,
    messages: answeredRun.messages,
  },
};
