import type { ChangeConversationsBody, ChangedConversations } from '../../../contract/dashboard/conversations.ts';
import { Refusal } from '../../../contract/problems.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { assignConversation } from './assign-conversation.ts';
import type { ConversationsDeps } from './deps.ts';
import { handBackConversation, resolveConversation } from './hand-over.ts';
import { snoozeConversation } from './snooze-conversation.ts';

type Deps = Pick<ConversationsDeps, 'db' | 'now'>;

/**
 * Makes one change to several conversations, one after the other. Each conversation is changed or refused separately. A
 * caller that did not get the response can send the call again. A repeated call leads to the same state, with one more
 * entry in the activity.
 */
export async function changeConversations(
  deps: Deps,
  orgId: string,
  { ids, action }: ChangeConversationsBody,
  actor: Actor,
): Promise<ChangedConversations> {
  const results: ChangedConversations['results'] = [];
  for (const id of ids) {
    try {
      await change(deps, orgId, id, action, actor);
      results.push({ id, done: true, code: null });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
      results.push({ id, done: false, code: error.code });
    }
  }
  return { results };
}

function change(deps: Deps, orgId: string, id: string, action: ChangeConversationsBody['action'], actor: Actor) {
  switch (action.type) {
    case 'assign':
      return assignConversation(deps, orgId, id, action.user_id, actor);
    case 'snooze':
      return snoozeConversation(deps, orgId, id, action.until, actor);
    case 'hand_back':
      return handBackConversation(deps, orgId, id, actor);
    case 'resolve':
      return resolveConversation(deps, orgId, id, actor);
  }
}
