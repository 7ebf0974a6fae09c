import type { TurnContext } from '../engine/provider.ts';

/** The person in a try. */
export const MADE_UP_PERSON = 'enduser_playground';

/** Builds the context of a try, which tells tools that no conversation exists. */
export const tryContext = (
  orgId: string,
  agentId: string,
  person: { external_id?: unknown } | undefined = {},
): TurnContext => ({
  organization_id: orgId,
  agent_id: agentId,
  agent_version: null,
  conversation_id: null,
  run_id: null,
  channel: null,
  end_user: {
    id: MADE_UP_PERSON,
    external_id: typeof person.external_id === 'string' ? person.external_id : null,
    address: null,
    address_verified: false,
  },
  try: true,
});
