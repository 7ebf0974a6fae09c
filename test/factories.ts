import { and, eq, sql } from 'drizzle-orm';
import type { AgentDefinition } from '../contract/agents.ts';
import type { MessageContent } from '../contract/messages.ts';
import type { KeyScope, Permission, Plan, Role } from '../contract/permissions.ts';
import type { VariableDeclaration } from '../contract/triggers.ts';
import { newId } from '../src/kernel/ids.ts';
import type { Key } from '../src/kernel/seal.ts';
import type { Db } from '../src/store/db.ts';
import { channelCredential, sealCredential } from '../src/store/credentials.ts';
import { countCalls } from '../src/store/api-keys/total.ts';
import { agent } from '../src/store/schema/agent.ts';
import { approval } from '../src/store/schema/approval.ts';
import { apiKey, apiKeyDigest } from '../src/store/schema/api-key.ts';
import { campaign, recipient } from '../src/store/schema/campaign.ts';
import { channel } from '../src/store/schema/channel.ts';
import { conversation, message } from '../src/store/schema/conversation.ts';
import { endUser } from '../src/store/schema/end-user.ts';
import { member, organization, user } from '../src/store/schema/identity.ts';
import { trigger } from '../src/store/schema/trigger.ts';

/** The factories write rows for tests directly into the tables, so that a test names only what matters to it. */
export async function givenOrganization(
  db: Db,
  options: { plan?: Plan; notInLaneOf?: string | undefined } = {},
): Promise<string> {
  let id = newId('org');
  // Two of 256 organizations share a lane of the queues (src/store/queue/lanes.ts), and these two also share its quota.
  if (options.notInLaneOf !== undefined) while (await shareLane(db, id, options.notInLaneOf)) id = newId('org');
  await db.insert(organization).values({ id, name: 'Test', slug: id, plan: options.plan ?? 'paid' });
  return id;
}

async function shareLane(db: Db, one: string, other: string): Promise<boolean> {
  const { rows } = await db.execute<{ share: boolean }>(
    sql`SELECT hashtext(${one}) & 255 = hashtext(${other}) & 255 AS share`,
  );
  return rows[0]!.share;
}

/**
 * Inserts a member, and the same person may be in several organizations. The function returns the ID of the membership.
 */
export async function givenMember(db: Db, orgId: string, userId: string, role: Role = 'member'): Promise<string> {
  const id = newId('member');
  await db
    .insert(user)
    .values({ id: userId, name: userId, email: `${userId}@example.com` })
    .onConflictDoNothing();
  await db.insert(member).values({ id, organizationId: orgId, userId, role });
  return id;
}

/** Inserts an agent with its sandbox channel. */
export async function givenAgent(
  db: Db,
  orgId: string,
  options: { name?: string; definition?: AgentDefinition; enabled?: boolean } = {},
): Promise<{ agentId: string; channelId: string }> {
  const agentId = newId('agent');
  const definition = options.definition ?? { opening: { default: 'Hello {{end_user.name}}' } };
  await db.insert(agent).values({
    orgId,
    id: agentId,
    name: options.name ?? 'Concierge',
    enabled: options.enabled ?? true,
    draft: definition,
    published: definition,
  });
  const channelId = newId('channel');
  await db.insert(channel).values({ orgId, id: channelId, agentId, kind: 'sandbox', name: 'Sandbox' });
  return { agentId, channelId };
}

export async function givenTrigger(
  db: Db,
  orgId: string,
  agentId: string,
  options: { variables?: VariableDeclaration[]; enabled?: boolean; channelId?: string } = {},
): Promise<string> {
  const id = newId('trigger');
  await db.insert(trigger).values({
    orgId,
    id,
    agentId,
    name: 'Order update',
    enabled: options.enabled ?? true,
    variables: options.variables ?? [],
    channelId: options.channelId ?? null,
  });
  return id;
}

/** Inserts a key row with any digest, where `digest` is the hash of the caller's key value. */
export async function givenKey(
  db: Db,
  orgId: string,
  options: {
    digest?: Buffer;
    generation?: number;
    scope?: KeyScope;
    agentId?: string;
    campaignId?: string;
    permissions?: Permission[];
    allowedNetworks?: string[];
    perMinute?: number;
    perEndUserPerMinute?: number;
    total?: number;
  } = {},
): Promise<string> {
  const id = newId('key');
  await db.insert(apiKey).values({
    orgId,
    id,
    label: 'Test',
    prefix: 'parley_us_abcdef',
    scope: options.scope ?? 'organization',
    agentId: options.agentId ?? null,
    campaignId: options.campaignId ?? null,
    permissions: options.permissions ?? ['triggers'],
    allowedNetworks: options.allowedNetworks ?? null,
    perMinute: options.perMinute ?? null,
    perEndUserPerMinute: options.perEndUserPerMinute ?? null,
    total: options.total ?? null,
  });
  if (options.total !== undefined) await countCalls(db, orgId, id);
  if (options.digest)
    await db
      .insert(apiKeyDigest)
      .values({ digest: options.digest, orgId, keyId: id, generation: options.generation ?? 0 });
  return id;
}

/** Inserts a connected channel, with secrets that are sealed as in the connect route. */
export async function givenChannel(
  db: Db,
  orgId: string,
  agentId: string,
  options: {
    kind: string;
    settings?: Record<string, unknown>;
    secrets?: Record<string, string>;
    sealingKey?: Key;
    enabled?: boolean;
  },
): Promise<string> {
  const { kind, settings = {}, secrets, sealingKey, enabled = true } = options;
  const id = newId('channel');
  const credential = channelCredential({ orgId, id, kind, settings });
  const sealed =
    secrets && sealingKey ? await sealCredential(db, sealingKey, credential, JSON.stringify(secrets)) : null;
  await db.insert(channel).values({ orgId, id, agentId, kind, name: kind, settings, sealed, enabled });
  return id;
}

/** Inserts a conversation with its own person, on a channel. */
export async function givenConversation(
  db: Db,
  orgId: string,
  channelId: string,
  options: { address?: string; person?: Partial<typeof endUser.$inferInsert>; status?: string } = {},
): Promise<{ id: string; endUserId: string }> {
  const id = newId('conv');
  const endUserId = newId('enduser');
  const [row] = await db
    .select({ agentId: channel.agentId })
    .from(channel)
    .where(and(eq(channel.orgId, orgId), eq(channel.id, channelId)));
  await db.insert(endUser).values({ ...options.person, orgId, id: endUserId });
  await db.insert(conversation).values({
    orgId,
    id,
    agentId: row!.agentId,
    channelId,
    endUserId,
    address: options.address ?? null,
    status: options.status ?? 'open',
  });
  return { id, endUserId };
}

/** Inserts a pending approval of a call that this run requested. */
export async function givenApproval(
  db: Db,
  orgId: string,
  run: { id: string; agent_id: string; conversation_id: string },
  args: Record<string, unknown> = {},
): Promise<string> {
  const id = newId('approval');
  const tool = { name: 'refund', description: 'Refunds.', parameters: { type: 'object' }, url: 'https://shop.test/' };
  await db.insert(approval).values({
    orgId,
    id,
    agentId: run.agent_id,
    conversationId: run.conversation_id,
    runId: run.id,
    call: { tool, arguments: args, idempotency_key: id },
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return id;
}

export async function givenMessage(
  db: Db,
  orgId: string,
  conversationId: string,
  { at, ...row }: Partial<typeof message.$inferInsert> & { content: MessageContent; at?: number },
): Promise<string> {
  const id = newId('msg', at);
  await db.insert(message).values({ role: 'agent', ...row, orgId, id, conversationId });
  return id;
}

const clockIn = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

/** Inserts a recipient without a sent first message, in a live campaign that may not send for the next hours. */
export async function givenRecipientInQuietHours(
  db: Db,
  orgId: string,
  { conversationId, endUserId, runId }: { conversationId: string; endUserId: string; runId: string },
): Promise<void> {
  const [row] = await db
    .select({ agentId: conversation.agentId, channelId: conversation.channelId })
    .from(conversation)
    .where(and(eq(conversation.orgId, orgId), eq(conversation.id, conversationId)));
  const campaignId = newId('campaign');
  const settings = { quiet_hours: { from: clockIn(-4), to: clockIn(4) }, time_zone: 'UTC' };
  await db.insert(campaign).values({ orgId, id: campaignId, ...row!, name: 'Night', state: 'live', settings });
  const id = newId('rcpt');
  await db.insert(recipient).values({ orgId, campaignId, id, endUserId, status: 'sending', conversationId, runId });
}
