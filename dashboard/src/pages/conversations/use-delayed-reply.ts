import { useEffect, useRef, useState, type RefObject } from 'react';
import type { ConversationRecord, ReplyActions } from '../../../../contract/dashboard/conversations.ts';
import { isTemporary, useAct } from '../../api/queries.ts';
import { usePersonName } from '../../parts/end-users/person-name.ts';
import { notifyFailed } from '../../parts/notify.tsx';
import { useOrganization } from '../../session/session.ts';
import { useTexts } from '../../language/texts.tsx';
import { answerTexts } from './answer-texts.ts';
import { useOpenNext } from './open-next.tsx';
import { isSent, resend, takeBack, type Reply } from './resend-reply.ts';
import { READ_AGAIN } from './search.ts';

/** A reply can be undone during this time. */
export const HOLD_MS = 5_000;
/** A browser sends at most 64 KiB while a page closes, so a longer reply does not wait. */
const MAX_HELD_BYTES = 60_000;

const delayed = new Map<string, () => Promise<boolean>>();

/**
 * Sends a waiting reply immediately. Call this function before an action that ends or hands over the conversation. The
 * result is false if the reply could not be sent and is in the field again.
 */
export const sendDelayed = async (conversationId: string): Promise<boolean> =>
  (await delayed.get(conversationId)?.()) ?? true;

/**
 * A reply waits five seconds in this window before it is sent. No waiting reply is lost. When the user leaves the
 * conversation, the reply is sent immediately, and again until it is sent. A refused reply returns to the field. A reply
 * that a closed window may not have sent stays in the tab's storage until the conversation contains it. `giveBack`:
 * inserts a text into the field, before the existing text.
 */
export function useDelayedReply(
  item: ConversationRecord,
  giveBack: (text: string, actions: ReplyActions | null) => void,
) {
  const org_id = useOrganization().id;
  const { id } = item;
  const reply = useAct('replyInConversation', { refresh: READ_AGAIN });
  // The value is an object, so that equal texts wait as two replies.
  const [waiting, setWaiting] = useState<Reply | null>(null);
  const now = useRef<Now>({ waiting, isHere: true, giveBack, item });
  useEffect(() => {
    now.current.giveBack = giveBack;
    now.current.item = item;
  });

  const openNext = useOpenNext();
  const say = useTexts(answerTexts);
  const name = usePersonName()(item.end_user);
  const send = async (going: Reply, leaving: boolean): Promise<boolean> => {
    const { text, after, actions } = going;
    const params = { org_id, conversation_id: id };
    const body = { text, ...(actions && { actions }) };
    const goOn = openNext(id);
    try {
      await reply.mutateAsync({ params, query: { after }, body, ...(leaving && { keepalive: true }) });
    } catch (error) {
      if (now.current.isHere && !leaving) {
        forget(id, text);
        now.current.giveBack(text, actions);
      } else if (!now.current.isHere) {
        const onGivenUp = (): void => notifyFailed(say('not_sent_to', { name }));
        void resend(params, going, !isTemporary(error), onGivenUp);
      }
      return false;
    }
    forget(id, text);
    if (actions?.resolve && now.current.isHere && !leaving) goOn();
    return true;
  };
  const set = (next: Reply | null): void => {
    now.current.waiting = next;
    setWaiting(next);
    if (next) delayed.set(id, () => letGo(false));
    else delayed.delete(id);
  };
  const letGo = async (leaving: boolean): Promise<boolean> => {
    const { waiting: going } = now.current;
    if (!going) return true;
    set(null);
    return send(going, leaving);
  };
  const latest = useRef(letGo);
  useEffect(() => {
    latest.current = letGo;
  });
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => void latest.current(false), HOLD_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  useLeaving(now, latest);

  const hold = (text: string, actions: ReplyActions | null): void => {
    // A waiting reply is sent first, so that replies arrive in the order of writing.
    void letGo(false);
    const next = { text, after: item.messages.at(-1)?.id, actions };
    keep(id, next);
    // The files of a reply may be sent after the user has left the conversation.
    if (!now.current.isHere || new Blob([text]).size > MAX_HELD_BYTES) void send(next, false);
    else set(next);
  };
  const undo = (): void => {
    const { waiting: back } = now.current;
    if (!back) return;
    set(null);
    forget(id, back.text);
    giveBack(back.text, back.actions);
  };
  return { reply, waiting: waiting?.text ?? null, hold, undo };
}

type Now = {
  waiting: Reply | null;
  isHere: boolean;
  giveBack: (text: string, actions: ReplyActions | null) => void;
  item: ConversationRecord;
};

/**
 * Sends the waiting reply when the page is left, and finds a reply that an earlier window of this tab may not have
 * sent.
 */
function useLeaving(now: RefObject<Now>, latest: RefObject<(leaving: boolean) => Promise<boolean>>): void {
  useEffect(() => {
    const here = now.current;
    here.isHere = true;
    const leave = (): void => void latest.current(true);
    addEventListener('pagehide', leave);
    const bringBack = async (): Promise<void> => {
      for (const { text, actions } of await takeBack(here.item.id)) {
        forget(here.item.id, text);
        here.giveBack(text, actions);
      }
    };
    void bringBack();
    const settled = setTimeout(() => {
      const lost = lostReply(here.item);
      if (lost !== null && !here.waiting) here.giveBack(lost.text, lost.actions);
    }, HOLD_MS);
    return () => {
      removeEventListener('pagehide', leave);
      clearTimeout(settled);
      here.isHere = false;
      leave();
    };
  }, [now, latest]);
}

const place = (id: string): string => `parley.held.${id}`;

function keep(id: string, reply: Reply): void {
  try {
    sessionStorage.setItem(place(id), JSON.stringify(reply));
  } catch {
    // The storage may be full or turned off, so the reply lasts only as long as the page.
  }
}

function read(id: string): Reply | null {
  try {
    return JSON.parse(sessionStorage.getItem(place(id)) ?? 'null') as Reply | null;
  } catch {
    return null;
  }
}

function forget(id: string, text: string): void {
  if (read(id)?.text !== text) return;
  try {
    sessionStorage.removeItem(place(id));
  } catch {
    // The storage may be turned off.
  }
}

/** Returns a reply that an earlier window of this tab may not have sent, unless the conversation contains it. */
function lostReply(item: ConversationRecord): Reply | null {
  const stored = read(item.id);
  if (!stored) return null;
  forget(item.id, stored.text);
  return isSent(item, stored) ? null : stored;
}
