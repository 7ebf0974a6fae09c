import type { ConversationRecord, ReplyActions } from '../../../../contract/dashboard/conversations.ts';
import { call } from '../../api/client.ts';
import { isTemporary, queryClient, refetch } from '../../api/queries.ts';
import { READ_AGAIN } from './search.ts';

/** The browser does not always report that the connection is back. */
const RETRY_MS = 3_000;
/** The reply is tried for about ten minutes. */
const MAX_RETRIES = 200;

/** `after`: the newest message that the author of the reply has seen. */
export type Reply = { text: string; after: string | undefined; actions: ReplyActions | null };
type Place = { org_id: string; conversation_id: string };
type Entry = { id: string; takeBack: () => Promise<Reply | null> };

/** The replies of conversations that the member left before the reply was sent. They last as long as the page. */
const entries = new Set<Entry>();

const askBeforeLeaving = (event: BeforeUnloadEvent): void => {
  if (entries.size > 0) event.preventDefault();
};

/**
 * Sends a reply again until it is sent, refused or taken back, because no one sees its failure in the conversation. If
 * the reply was not sent, `onGivenUp` is called and the reply waits until the conversation is opened.
 */
export function resend(place: Place, reply: Reply, isRefused: boolean, onGivenUp: () => void): Promise<void> {
  addEventListener('beforeunload', askBeforeLeaving);
  let isTaken = false;
  let wake: (() => void) | undefined;
  const hurry = (): void => wake?.();
  addEventListener('online', hurry);
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      setTimeout(resolve, RETRY_MS);
    });
  const attempt = async (): Promise<Reply | null> => {
    for (let attempts = 0; attempts < MAX_RETRIES; attempts++) {
      await pause();
      if (isTaken) return reply;
      try {
        await sendOnce(place, reply);
        return null;
      } catch (error) {
        if (!isTemporary(error)) return reply;
      }
    }
    return reply;
  };
  const ended = isRefused ? Promise.resolve(reply) : attempt();
  const entry: Entry = {
    id: place.conversation_id,
    takeBack: () => {
      isTaken = true;
      hurry();
      entries.delete(entry);
      return ended;
    },
  };
  entries.add(entry);
  return ended.then((left) => {
    removeEventListener('online', hurry);
    if (left === null) entries.delete(entry);
    else if (!isTaken) onGivenUp();
    return left === null ? refetch(queryClient, READ_AGAIN) : undefined;
  });
}

/** Stops the attempts for a conversation that the member opens again. Returns the replies that were not sent. */
export async function takeBack(conversationId: string): Promise<Reply[]> {
  const mine = [...entries].filter(({ id }) => id === conversationId);
  return (await Promise.all(mine.map((one) => one.takeBack()))).filter((one) => one !== null);
}

/** The response of an earlier attempt may have been lost, so the conversation may already contain the reply. */
async function sendOnce(params: Place, reply: Reply): Promise<void> {
  const { text, after, actions } = reply;
  if (isSent(await call('readConversation', { params }), reply)) return;
  await call('replyInConversation', { params, query: { after }, body: { text, ...(actions && { actions }) } });
}

export const isSent = ({ messages }: ConversationRecord, { text, after = '' }: Omit<Reply, 'actions'>): boolean =>
  messages.some(
    ({ role, id, content }) => role === 'member' && id > after && 'text' in content && content.text === text,
  );
