import type { ChannelSummary } from '../../../contract/channels.ts';
import { channelKinds } from '../../channels/kinds.ts';
import { timestamp } from '../../kernel/clock.ts';
import { listChannels } from '../../store/channels/channels.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { MessagesDeps } from './deps.ts';

/** One page of the channels of an agent with their capabilities, newest first. */
export async function listAgentChannels(
  { db }: Pick<MessagesDeps, 'db'>,
  orgId: string,
  agentId: string,
  page: PageRequest,
): Promise<PageOf<ChannelSummary>> {
  const { rows, hasMore } = await listChannels(db, orgId, { agentId }, page);
  const channels = rows.flatMap((row) => {
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
  return { rows: channels, hasMore };
}
