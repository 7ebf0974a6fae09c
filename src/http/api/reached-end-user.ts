import type { SendMessage } from '../../../contract/channels.ts';
import type { TriggerCall } from '../../../contract/triggers.ts';
import { addressed, namesOf } from '../route/names-of-end-user.ts';

/**
 * Returns all names that a call has for the person whom it reaches, for the limit per end user. The names are compared,
 * not looked up, so a person with several names has one count for each name. A call without a name starts a
 * conversation with a new, anonymous person, so the limit does not count it.
 */
export function reachedByTrigger({ end_user: endUser, channel, conversation }: TriggerCall): string[] {
  const names = [...namesOf(endUser), ...addressed(channel?.address)];
  return names.length === 0 && conversation ? [conversation.id ?? `key ${conversation.key}`] : names;
}

export const reachedBySend = ({ to }: SendMessage): string[] => [
  ...namesOf(to.end_user),
  ...addressed(to.address),
  ...(to.conversation_id === undefined ? [] : [to.conversation_id]),
];
