import {
  type ConversationView,
  type CreateConversationViewBody,
  MAX_CONVERSATION_VIEWS,
} from '../../../contract/dashboard/conversation-views.ts';
import { Refusal } from '../../../contract/problems.ts';
import { timestamp } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import {
  type ConversationViewRow,
  deleteView as deleteRow,
  insertView,
  listViews as listRows,
} from '../../store/conversations/views.ts';
import type { Db } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import { readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';

type Deps = { db: Db };

export const listViews = async ({ db }: Deps, orgId: string, userId: string): Promise<ConversationView[]> =>
  (await listRows(db, orgId, userId)).map(present);

/**
 * A shared view changes the list for all members, so the activity contains its changes. The activity does not contain
 * changes of a member's own views.
 */
export const createView = (
  { db }: Deps,
  orgId: string,
  { name, shared, filters }: CreateConversationViewBody,
  actor: Actor,
): Promise<ConversationView> =>
  db.transaction(async (tx) => {
    // The lock makes two simultaneous changes check the limit and the name one after the other. A removal of the
    // member, which also deletes the member's views, waits for the same lock.
    await lockOrganization(tx, orgId);
    if ((await readRole(tx, orgId, actor.userId)) === null) throw new Refusal('organization_not_found');
    const others = (await listRows(tx, orgId, actor.userId)).filter((one) => (one.userId === null) === shared);
    if (others.length >= MAX_CONVERSATION_VIEWS)
      throw new Refusal('already_exists', `There can be at most ${MAX_CONVERSATION_VIEWS} views. Delete one first.`);
    if (others.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      throw new Refusal('already_exists', 'Another view has this name.');
    const row = await insertView(tx, orgId, {
      id: newId('view'),
      userId: shared ? null : actor.userId,
      name,
      filters,
    });
    if (shared)
      await recordAudit(tx, { orgId, actor, action: 'conversation_view.created', subjectId: row.id, facts: { name } });
    return present(row);
  });

export const deleteView = ({ db }: Deps, orgId: string, id: string, actor: Actor): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await deleteRow(tx, orgId, actor.userId, id);
    if (!row) throw new Refusal('view_not_found');
    const facts = { name: row.name };
    if (row.userId === null)
      await recordAudit(tx, { orgId, actor, action: 'conversation_view.deleted', subjectId: id, facts });
  });

const present = ({ id, name, userId, filters, createdAt }: ConversationViewRow): ConversationView => ({
  id,
  name,
  shared: userId === null,
  filters,
  created_at: timestamp(createdAt),
});
