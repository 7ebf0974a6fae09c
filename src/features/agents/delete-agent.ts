import { Refusal } from '../../../contract/problems.ts';
import type { Subject } from '../../access/types.ts';
import { cancelWaitingRuns } from '../../store/approvals/write.ts';
import { cancelCampaignRuns } from '../../store/campaigns/runs.ts';
import { lockAgent } from '../../store/agents/read.ts';
import { deleteAgentRows, listDependents } from '../../store/agents/delete.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { AgentsDeps } from './deps.ts';
import { foundAgent } from './read-agents.ts';

/**
 * Deletes the agent with its triggers and channels, and ends its campaigns. The turn worker cancels the agent's other
 * runs when they are due. Messages stay readable. The agent's keys stop working: calls with them get 404. The agent's
 * keys stay in the list and can be revoked.
 */
export async function deleteAgent({ db, access }: AgentsDeps, orgId: string, id: string, actor: Actor): Promise<void> {
  await foundAgent(db, orgId, id);
  const { triggers, channels, campaigns } = await listDependents(db, orgId, id);
  const subjects: Subject[] = [
    { kind: 'agent', id },
    ...triggers.map((trigger): Subject => ({ kind: 'trigger', id: trigger })),
    ...channels.map((channel): Subject => ({ kind: 'channel', id: channel })),
    ...campaigns.map((campaign): Subject => ({ kind: 'campaign', id: campaign })),
  ];
  await access.change(subjects, async (tx) => {
    const row = await lockAgent(tx, orgId, id);
    if (!row) throw new Refusal('agent_not_found');
    await cancelWaitingRuns(tx, orgId, id, 'agent_deleted');
    for (const ended of await deleteAgentRows(tx, orgId, id)) await cancelCampaignRuns(tx, orgId, ended);
    await recordAudit(tx, { orgId, actor, action: 'agent.deleted', subjectId: id, facts: { name: row.name } });
  });
}
