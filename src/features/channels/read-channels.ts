import type { ChannelRecord } from '../../../contract/dashboard/channels.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type ChannelRow, listChannels as listRows, readChannel as readRow } from '../../store/channels.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import type { ChannelsDeps } from './channels.ts';

type Reads = Pick<ChannelsDeps, 'db'>;

export async function listChannels(
  { db }: Reads,
  orgId: string,
  filter: { agentId?: string | undefined; text?: string | undefined },
  page: PageRequest,
): Promise<PageOf<ChannelRecord>> {
  const { rows, hasMore } = await listRows(db, orgId, filter, page);
  return { rows: rows.map(presentChannel), hasMore };
}

export async function readChannel({ db }: Reads, orgId: string, id: string): Promise<ChannelRecord> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('channel_not_found');
  return presentChannel(row);
}

export const presentChannel = (row: ChannelRow): ChannelRecord => ({
  id: row.id,
  agent_id: row.agentId,
  kind: row.kind,
  name: row.name,
  enabled: row.enabled,
  settings: row.settings,
  status: row.status === 'broken' ? 'broken' : 'connected',
  status_detail: row.statusDetail,
  created_at: timestamp(row.createdAt),
  updated_at: timestamp(row.updatedAt),
});
