import { useState } from 'react';
import { MAX_PAGE } from '../../../../contract/limits.ts';
import { useRead } from '../../api/queries.ts';
import { useOrganization } from '../../session/session.ts';

/** If the organization has only one agent, it is chosen automatically. Agent names come from the same query. */
export function useOnlyAgent(): string | null {
  const org_id = useOrganization().id;
  const agents = useRead('listAgents', { params: { org_id }, query: { limit: MAX_PAGE } }, { staleTime: 30_000 });
  return agents.data?.data.length === 1 ? agents.data.data[0]!.id : null;
}

type Form = { values: { agent_id?: string }; setFieldValue: (name: 'agent_id', id: string) => void };

/**
 * The agent may load while the user is already typing. When the agent has loaded, the form selects the only agent and
 * does not change other fields.
 */
export function useLateAgent(agentId: string | null, form: Form): void {
  const [known, setKnown] = useState(agentId);
  if (agentId === known) return;
  setKnown(agentId);
  if (agentId && !form.values.agent_id) form.setFieldValue('agent_id', agentId);
}
