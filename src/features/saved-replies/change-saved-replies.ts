import type { LocalizedText } from '../../../contract/agents.ts';
import {
  type CreateSavedReplyBody,
  MAX_SAVED_REPLIES,
  type SavedReplyRecord,
  type UpdateSavedReplyBody,
} from '../../../contract/dashboard/saved-replies.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { ReplyActions } from '../../../contract/dashboard/conversations.ts';
import { mayAnswer, notAssignable } from '../../access/sessions/may-answer.ts';
import { templateFault } from '../../engine/templates.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import { readRole } from '../../store/members/members.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import {
  changeSavedReply,
  countSavedReplies,
  deleteSavedReply as deleteRow,
  insertSavedReply,
  isShortcutTaken,
  type SavedReplyRow,
} from '../../store/saved-replies.ts';
import type { SavedRepliesDeps } from './deps.ts';
import { presentSavedReply } from './read-saved-replies.ts';

export function createSavedReply(
  { db }: SavedRepliesDeps,
  orgId: string,
  { name, shortcut, text, actions = {} }: CreateSavedReplyBody,
  actor: Actor,
): Promise<SavedReplyRecord> {
  checkText(text);
  return db.transaction(async (tx) => {
    await lockOrganization(tx, orgId);
    if ((await countSavedReplies(tx, orgId)) >= MAX_SAVED_REPLIES) {
      throw new Refusal('already_exists', `An organization has at most ${MAX_SAVED_REPLIES} saved replies.`);
    }
    await checkShortcut(tx, orgId, shortcut, '');
    await checkActions(tx, orgId, actions);
    const row = await insertSavedReply(tx, orgId, { id: newId('sreply'), name, shortcut, text, actions });
    await record(tx, row, { action: 'saved_reply.created', actor });
    return presentSavedReply(row);
  });
}

export function updateSavedReply(
  { db }: SavedRepliesDeps,
  orgId: string,
  id: string,
  { name, shortcut, text, actions }: UpdateSavedReplyBody,
  actor: Actor,
): Promise<SavedReplyRecord> {
  if (text !== undefined) checkText(text);
  return db.transaction(async (tx) => {
    await lockOrganization(tx, orgId);
    if (shortcut !== undefined) await checkShortcut(tx, orgId, shortcut, id);
    if (actions !== undefined) await checkActions(tx, orgId, actions);
    const row = await changeSavedReply(tx, orgId, id, {
      ...(name !== undefined && { name }),
      ...(shortcut !== undefined && { shortcut }),
      ...(text !== undefined && { text }),
      ...(actions !== undefined && { actions }),
    });
    if (!row) throw new Refusal('saved_reply_not_found');
    await record(tx, row, { action: 'saved_reply.updated', actor });
    return presentSavedReply(row);
  });
}

/** Messages that were written from the saved reply do not change. */
export const deleteSavedReply = ({ db }: SavedRepliesDeps, orgId: string, id: string, actor: Actor): Promise<void> =>
  db.transaction(async (tx) => {
    const row = await deleteRow(tx, orgId, id);
    if (!row) throw new Refusal('saved_reply_not_found');
    await record(tx, row, { action: 'saved_reply.deleted', actor });
  });

/**
 * The check runs under the lock of the organization, because the index alone would fail the transaction without a clear
 * error for the caller.
 */
async function checkShortcut(tx: Queryable, orgId: string, shortcut: string, id: string): Promise<void> {
  if (!(await isShortcutTaken(tx, orgId, shortcut, id))) return;
  throw new Refusal('already_exists', 'Another saved reply has this shortcut.');
}

/** A removal of the member, which also changes the saved replies, waits for the lock of the organization. */
async function checkActions(tx: Queryable, orgId: string, { assign_to: to }: ReplyActions): Promise<void> {
  if (to === undefined || to === 'me' || mayAnswer(await readRole(tx, orgId, to))) return;
  throw notAssignable('/actions/assign_to');
}

function checkText(text: LocalizedText): void {
  const errors = Object.entries(text).flatMap(([language, template]) => {
    const detail = templateFault(template);
    return detail === null ? [] : [{ pointer: `/text/${language}`, code: 'invalid', detail }];
  });
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

const record = (
  tx: Queryable,
  { orgId, id, name, shortcut }: SavedReplyRow,
  done: { action: string; actor: Actor },
): Promise<void> => recordAudit(tx, { orgId, ...done, subjectId: id, facts: { name, shortcut } });
