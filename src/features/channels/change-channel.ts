import type { ChannelRecord, UpdateChannelBody } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/audit.ts';
import { changeChannel, readChannel as readRow } from '../../store/channels.ts';
import { readAgent } from '../../store/agents.ts';
import type { ChannelsDeps } from './channels.ts';
import { checkSettings, readChannelKind } from './check-settings.ts';
import { presentChannel } from './read-channels.ts';

/** Settings are replaced as a whole; `enabled: false` stops the channel on the very next request. */
export async function updateChannel(
  { access }: ChannelsDeps,
  orgId: string,
  id: string,
  { name, enabled, settings }: UpdateChannelBody,
  actor: Actor,
): Promise<ChannelRecord> {
  const { result } = await access.change({ kind: 'channel', id }, async (tx) => {
    const before = await readRow(tx, orgId, id);
    if (!before) throw new Refusal('channel_not_found');
    const changes = {
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { enabled }),
      ...(settings !== undefined && { settings: checkSettings(readChannelKind(before.kind), settings) }),
    };
    const row = await changeChannel(tx, orgId, id, changes);
    await recordAudit(tx, { orgId, actor, action: 'channel.updated', subjectId: id, facts: changes });
    return presentChannel(row!);
  });
  return result;
}

/** What was said on it stays readable. The agent's own sandbox goes only with the agent. */
export async function disconnectChannel(
  { db, access }: ChannelsDeps,
  orgId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('channel_not_found');
  const agent = await readAgent(db, orgId, row.agentId);
  if (agent?.sandboxChannelId === id) {
    throw new Refusal('channel_unsupported', 'The sandbox channel belongs to its agent and goes only with it.');
  }
  await access.change({ kind: 'channel', id }, async (tx) => {
    if (!(await changeChannel(tx, orgId, id, { deletedAt: new Date() }))) throw new Refusal('channel_not_found');
    const facts = { agent_id: row.agentId, kind: row.kind, name: row.name };
    await recordAudit(tx, { orgId, actor, action: 'channel.disconnected', subjectId: id, facts });
  });
}
