import type { FilledReply } from '../../../contract/dashboard/saved-replies.ts';
import { Refusal } from '../../../contract/problems.ts';
import { chooseText, renderTemplate } from '../../engine/templates.ts';
import { namesOf } from '../../store/accounts/accounts.ts';
import { findConversation } from '../../store/conversations/read.ts';
import { type EndUserRow, readEndUser } from '../../store/end-users/read.ts';
import { readSavedReply } from '../../store/saved-replies.ts';
import type { SavedRepliesDeps } from './deps.ts';

type Which = { orgId: string; conversationId: string; id: string; userId: string };

/**
 * Returns the text in the form in which the member would send it. The filled text of the reply is not sent. The member
 * first reads the text and fills in missing values.
 */
export async function fillSavedReply(
  { db }: SavedRepliesDeps,
  { orgId, conversationId, id, userId }: Which,
): Promise<FilledReply> {
  const conversation = await findConversation(db, orgId, conversationId);
  if (!conversation) throw new Refusal('conversation_not_found');
  const [reply, endUser, names] = await Promise.all([
    readSavedReply(db, orgId, id),
    readEndUser(db, orgId, conversation.endUser.id),
    namesOf(db, [userId]),
  ]);
  if (!reply) throw new Refusal('saved_reply_not_found');
  if (!endUser) throw new Refusal('conversation_not_found');
  const template = chooseText(reply.text, conversation.locale ?? endUser.locale) ?? '';
  const variables = variablesOf(endUser, names.get(userId));
  const missing = new Set<string>();
  const text = renderTemplate(template, variables, missing);
  if (missing.size === 0) return { text, missing: [] };
  // The text is rendered a second time, with the placeholder itself for each missing value, so that the gap is visible.
  const marks = Object.fromEntries([...missing].map((name) => [name, `{{${name}}}`]));
  return { text: renderTemplate(template, { ...variables, ...marks }), missing: [...missing] };
}

const variablesOf = (endUser: EndUserRow, member: string | undefined): Record<string, unknown> => ({
  name: endUser.name,
  member: { name: member },
  end_user: {
    ...endUser.attributes,
    external_id: endUser.externalId,
    name: endUser.name,
    email: endUser.email,
    phone: endUser.phone,
    locale: endUser.locale,
    time_zone: endUser.timeZone,
  },
});
