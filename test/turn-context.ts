import type { TurnContext } from '../src/engine/provider.ts';

/** A conversation on WhatsApp with a person who has written from that address. */
export const TURN_CONTEXT: TurnContext = {
  organization_id: 'org_1',
  agent_id: 'agent_1',
  agent_version: 3,
  conversation_id: 'conv_1',
  run_id: 'run_1',
  channel: { id: 'channel_1', kind: 'whatsapp' },
  end_user: { id: 'enduser_1', external_id: 'crm-7', address: '+97430004242', address_verified: true },
  try: false,
};
