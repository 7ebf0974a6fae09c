import type { ChatMessage } from '../../contract/chat.ts';
import type { Client } from './client.ts';

/** Holds the messages that this page has loaded, and whether older messages exist. */
export function createHistory(client: Client) {
  const messages = new Map<string, ChatMessage>();
  let hasMore = false;
  let loaded = false;
  const all = (): ChatMessage[] => [...messages.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    all,
    reach: () => ({ hasMore, loaded }),
    /** Returns the messages that were not known yet. */
    put: (fresh: readonly ChatMessage[]): ChatMessage[] => {
      const unknown = fresh.filter(({ id }) => !messages.has(id));
      for (const message of fresh) messages.set(message.id, message);
      return unknown;
    },
    newest: async (): Promise<ChatMessage[]> => {
      const page = await client.history();
      const { data, has_more } = page;
      // Without a known message on the page, the messages before the page are unknown too, and are loaded on request.
      const isApart = has_more && !data.some(({ id }) => messages.has(id));
      if (isApart) for (const id of messages.keys()) if (id < data[0]!.id) messages.delete(id);
      if (isApart || !loaded || messages.size === 0) hasMore = has_more;
      loaded = true;
      return page.data;
    },
    earlier: async (): Promise<ChatMessage[]> => {
      const first = all()[0];
      if (!first) return [];
      const page = await client.history(first.id);
      hasMore = page.has_more;
      return page.data;
    },
  };
}
