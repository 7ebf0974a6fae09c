import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Chat, type ChatState, connect, type ConnectOptions } from './browser.ts';

export type Conversation = ChatState & Pick<Chat, 'send' | 'start'>;

/**
 * Returns the conversation of a component. The hook reads its options when the component is first shown, so give the
 * component another `key` for another conversation.
 */
export function useConversation(options: ConnectOptions): Conversation {
  const [chat] = useState(() => connect(options));
  const state = useSyncExternalStore(
    chat.subscribe,
    () => chat.state,
    () => chat.state,
  );
  useEffect(() => {
    chat.open();
    return chat.close;
  }, [chat]);
  return { ...state, send: chat.send, start: chat.start };
}
