import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm';
import type { Queryable } from '../db.ts';
import { campaign } from '../schema/campaign.ts';
import { channel } from '../schema/channel.ts';
import { trigger } from '../schema/trigger.ts';
import { document, toolSecret } from '../schema/agent.ts';
import { deleteSourcesOfAgent } from '../document-sources/read.ts';
import { deleteSeenTools } from './mcp-changes.ts';
import { deleteSuite } from './test-cases.ts';
import { changeAgent } from './write.ts';

export const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

/**
 * The records that are deleted with an agent. The triggers and channels are read before the deletion, so that each gets
 * an entry in the change log.
 */
export async function listDependents(
  db: Queryable,
  orgId: string,
  agentId: string,
): Promise<{ triggers: string[]; channels: string[]; campaigns: string[] }> {
  const [triggers, channels, campaigns] = [
    await db
      .select({ id: trigger.id })
      .from(trigger)
      .where(and(eq(trigger.orgId, orgId), eq(trigger.agentId, agentId), isNull(trigger.deletedAt)))
      .orderBy(asc(trigger.id)),
    await db
      .select({ id: channel.id })
      .from(channel)
      .where(and(eq(channel.orgId, orgId), eq(channel.agentId, agentId), isNull(channel.deletedAt)))
      .orderBy(asc(channel.id)),
    await db
      .select({ id: campaign.id })
      .from(campaign)
      .where(
        and(
          eq(campaign.orgId, orgId),
          eq(campaign.agentId, agentId),
          isNull(campaign.deletedAt),
          ne(campaign.state, 'ended'),
        ),
      )
      .orderBy(asc(campaign.id)),
  ];
  return { triggers: ids(triggers), channels: ids(channels), campaigns: ids(campaigns) };
}

/**
 * The rows of a deleted agent stay, because runs and conversations reference them, but no query finds the agent. The
 * agent's documents, their sources, its tests and the secrets of its tools are deleted immediately. Returns the campaigns
 * that end.
 */
export async function deleteAgentRows(db: Queryable, orgId: string, agentId: string): Promise<string[]> {
  const gone = { deletedAt: sql`now()`, updatedAt: sql`now()` };
  await changeAgent(db, orgId, agentId, { deletedAt: new Date() });
  await db.delete(document).where(and(eq(document.orgId, orgId), eq(document.agentId, agentId)));
  await deleteSourcesOfAgent(db, orgId, agentId);
  await deleteSuite(db, orgId, agentId);
  await deleteSeenTools(db, orgId, agentId);
  await db.delete(toolSecret).where(and(eq(toolSecret.orgId, orgId), eq(toolSecret.agentId, agentId)));
  await db
    .update(trigger)
    .set(gone)
    .where(and(eq(trigger.orgId, orgId), eq(trigger.agentId, agentId), isNull(trigger.deletedAt)));
  await db
    .update(channel)
    .set(gone)
    .where(and(eq(channel.orgId, orgId), eq(channel.agentId, agentId), isNull(channel.deletedAt)));
  const ended = await db
    .update(campaign)
    // The worker expires the recipients, also of a draft.
    .set({ state: 'ended', attended: true, updatedAt: sql`now()` })
    .where(and(eq(campaign.orgId, orgId), eq(campaign.agentId, agentId), ne(campaign.state, 'ended')))
    .returning({ id: campaign.id });
  return ids(ended);
}
