import { createHash, randomBytes } from 'node:crypto';
import { CHANNEL_FORMS } from '../../../contract/channel-kinds.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { ChannelKind } from '../channel.ts';

/**
 * A chat on somebody's web site. There is no provider to call: what is sent is stored, and the widgets that the visitor
 * has open fetch it (src/http/chat/). So "sent" is what `send` can promise; "delivered" and "read" come from the widget.
 */
export const webChat: ChannelKind = {
  kind: 'web_chat',
  capabilities: {
    content: ['text', 'image', 'audio', 'video', 'file', 'location', 'choices'],
    max_text: MAX_MESSAGE_CHARACTERS,
    receipts: ['delivered', 'read'],
    inbound: true,
    reply_window_hours: null,
    // A person may be written to before they first open the chat: it waits there for them.
    needs_address: false,
  },
  ...CHANNEL_FORMS.web_chat,
  /** The host's backend proves with it who is signed in there. */
  ownSecrets: { make: () => ({ secret: randomBytes(32).toString('base64url') }), shown: 'secret' },
  readAddress: (text) => (/^(visitor|user)_[\w-]{22}$/.test(text) ? text : null),
  /** Whoever is known to the host is found at the same place from every browser; nobody else can be, before they write. */
  addressOf: ({ external_id }) => (external_id === null ? null : addressOfUser(external_id)),
  repeatable: true,
  send: (message) => Promise.resolve({ providerMessageId: message.id, status: 'sent' }),
};

const addressOfUser = (externalId: string): string =>
  `user_${createHash('sha256').update(externalId).digest('base64url').slice(0, 22)}`;
