import { createHash, randomBytes } from 'node:crypto';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { ChannelKind } from '../channel.ts';

/**
 * A chat on the web site of a customer. The kind web chat has no provider. A message is stored, and the visitor's open
 * widgets fetch it (src/http/chat/). `send` can only report "sent". The widget reports "delivered" and "read".
 */
export const webChat: ChannelKind = {
  kind: 'web_chat',
  capabilities: {
    content: ['text', 'image', 'audio', 'video', 'file', 'location', 'choices'],
    max_text: MAX_MESSAGE_CHARACTERS,
    receipts: ['delivered', 'read'],
    inbound: true,
    reply_window_hours: null,
    // A backend may send a message before the person first opens the chat. The message is stored until the person opens
    // the chat.
    needs_address: false,
  },
  ...CHANNEL_FORMS.web_chat,
  /** With this secret, the host's backend proves which person is signed in on its site. */
  ownSecrets: { make: () => ({ secret: randomBytes(32).toString('base64url') }), shown: 'secret' },
  readAddress: (text) => (/^(visitor|user)_[\w-]{22}$/.test(text) ? text : null),
  /**
   * A person that the host identifies has the same address in every browser. Any other visitor has no address before
   * their first message.
   */
  addressOf: ({ external_id }) => (external_id === null ? null : addressOfUser(external_id)),
  // Only the host's backend can prove the identity of a person with the host's address
  // (features/visitors/open-session.ts).
  vouchesFor: (address) => address.startsWith('user_'),
  repeatable: true,
  send: (message) => Promise.resolve({ providerMessageId: message.id, status: 'sent' }),
};

const addressOfUser = (externalId: string): string =>
  `user_${createHash('sha256').update(externalId).digest('base64url').slice(0, 22)}`;
