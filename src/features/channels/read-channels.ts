import type { WebChatSettings } from '../../../contract/chat.ts';
import type { ChannelDetail, ChannelRecord, ConnectedChannel } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Connected } from '../../channels/connect.ts';
import { timestamp } from '../../kernel/clock.ts';
import {
  type ChannelRow,
  hasReceived,
  listChannels as listRows,
  readChannel as readRow,
} from '../../store/channels/channels.ts';
import { listChatSites } from '../../store/channels/chat-sites.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { ChannelsDeps } from './deps.ts';

type Reads = Pick<ChannelsDeps, 'db' | 'connector'>;

export async function listChannels(
  deps: Reads,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<ChannelRecord>> {
  const { rows, hasMore } = await listRows(deps.db, orgId, filter, page);
  return { rows: rows.map((row) => presentChannel(deps, row)), hasMore };
}

export async function readChannel(deps: Reads, orgId: string, id: string): Promise<ChannelDetail> {
  const row = await readRow(deps.db, orgId, id);
  if (!row) throw new Refusal('channel_not_found');
  return {
    ...presentChannel(deps, row),
    received: await hasReceived(deps.db, orgId, id),
    ...(row.kind === 'web_chat' ? await chatSites(deps, orgId, row) : { refused_origins: [], reached_origins: [] }),
  };
}

/** The current list of the channel decides which sites are refused. */
async function chatSites({ db }: Reads, orgId: string, { id, settings }: ChannelRow) {
  const { allowed_origins: allowed = [] }: WebChatSettings = settings;
  const sites = await listChatSites(db, orgId, id);
  return {
    refused_origins: sites
      .filter(({ origin }) => !allowed.includes(origin))
      .map(({ origin, refusedAt }) => ({ origin, refused_at: timestamp(refusedAt) })),
    reached_origins: sites.flatMap(({ origin, reachedAt }) =>
      reachedAt && allowed.includes(origin) ? { origin, reached_at: timestamp(reachedAt) } : [],
    ),
  };
}

export const presentChannel = ({ connector }: Pick<Reads, 'connector'>, row: ChannelRow): ChannelRecord => ({
  id: row.id,
  agent_id: row.agentId,
  kind: row.kind,
  name: row.name,
  enabled: row.enabled,
  ...splitAccount(row.settings),
  inbound_url: connector.inboundUrl(row.kind, row.id),
  status: row.status === 'broken' ? 'broken' : 'connected',
  status_detail: row.statusDetail,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});

/** The provider's facts about the account are stored with the settings, but are not settings. */
export function splitAccount(stored: Record<string, unknown>): Pick<ChannelRecord, 'settings' | 'account'> {
  const { account = {}, ...settings } = stored;
  return { settings, account: account as Record<string, string> };
}

export const presentShown = (shown: Connected['shown']): Pick<ConnectedChannel, 'secret' | 'verify_token'> =>
  shown === null ? {} : { [shown.name]: shown.value };
