import { Refusal } from '../../../contract/problems.ts';
import { readAgent } from '../../store/agents/read.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import { changeChannel, readChannel as readRow } from '../../store/channels/channels.ts';
import type { ChannelsDeps } from './deps.ts';

/**
 * The channel's messages stay readable. The channel's credentials are deleted, and the provider is told to stop its
 * calls. The agent's own sandbox channel is deleted only with the agent.
 */
export async function disconnectChannel(
  { db, access, openSecrets, connector }: ChannelsDeps,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('channel_not_found');
  const agent = await readAgent(db, orgId, row.agentId);
  if (agent?.sandboxChannelId === id) {
    throw new Refusal('channel_unsupported', 'The sandbox channel belongs to its agent and is deleted only with it.');
  }
  // Secrets that no longer open must not prevent a disconnect.
  const secrets = await openSecrets(row).catch(() => null);
  await access.change({ kind: 'channel', id }, async (tx) => {
    const gone = { deletedAt: new Date(), sealed: null };
    if (!(await changeChannel(tx, orgId, id, gone))) throw new Refusal('channel_not_found');
    const facts = { agent_id: row.agentId, kind: row.kind, name: row.name };
    await recordAudit(tx, { orgId, actor, action: 'channel.disconnected', subjectId: id, facts });
  });
  if (secrets) await connector.disconnect(row.kind, { id, settings: row.settings, secrets });
}
