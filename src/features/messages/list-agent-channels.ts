import type { ChannelSummary } from '../../../contract/channels.ts';
import { MAX_PAGE } from '../../../contract/limits.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { timestamp } from '../../kernel/clock.ts';
import { listChannels } from '../../store/channels/channels.ts';
import type { MessagesDeps } from './deps.ts';

/** The channels of an agent and their capabilities. One page contains all channels of an agent. */
export async function listAgentChannels(
  { db }: Pick<MessagesDeps, 'db'>,
  orgId: string,
  agentId: string,
): Promise<ChannelSummary[]> {
  const { rows } = await listChannels(db, orgId, { agentId }, { limit: MAX_PAGE, after: null });
  return rows.flatMap((row) => {
    const kind = channelKinds.get(row.kind);
    if (!kind) return [];
    return {
      id: row.id,
      agent_id: row.agentId,
      kind: row.kind,
      name: row.name,
      enabled: row.enabled,
      status: row.status === 'broken' ? ('broken' as const) : ('connected' as const),
      status_detail: row.statusDetail,
      capabilities: kind.capabilities,
      created_at: timestamp(row.createdAt),
    };
  });
}
