import { createHash, randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { MAX_MESSAGE_CHARACTERS } from '../../../contract/limits.ts';
import type { ChannelKind } from '../channel.ts';

/**
 * A chat on somebody's web site. There is no provider to call: what is sent is stored, and the widgets that the visitor
 * has open fetch it (src/http/chat/). So "sent" is what `send` can promise; "delivered" and "read" come from the widget.
 */
const ORIGIN = '^https?://[a-z0-9.-]+(:[0-9]{1,5})?$|^https?://\\[[0-9a-f:]+\\](:[0-9]{1,5})?$';
const closed = { additionalProperties: false };
const title = Type.Optional(
  Type.String({ minLength: 1, maxLength: 60, description: 'What stands above the conversation.' }),
);
const greeting = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'The first words, before anybody has written.' }),
);

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
  settings: Type.Object(
    {
      allowed_origins: Type.Optional(
        Type.Array(Type.String({ pattern: ORIGIN, maxLength: 255 }), {
          maxItems: 50,
          uniqueItems: true,
          description: 'Sites that may show the chat, such as https://shop.example (no path, no wildcard).',
        }),
      ),
      title,
      greeting,
      translations: Type.Optional(
        Type.Object(
          {
            en: Type.Optional(Type.Object({ title, greeting }, closed)),
            ar: Type.Optional(Type.Object({ title, greeting }, closed)),
            hi: Type.Optional(Type.Object({ title, greeting }, closed)),
          },
          { ...closed, description: 'Title and greeting in other languages.' },
        ),
      ),
      color: Type.Optional(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Such as #0b7a75.' })),
      position: Type.Optional(
        Type.Union([Type.Literal('end'), Type.Literal('start')], {
          description: 'Which lower corner: end is right where people read from left to right.',
        }),
      ),
      hosted_page: Type.Optional(
        Type.Boolean({ description: 'Whether the chat has a page of its own at /chat/{channel_id}; true if absent.' }),
      ),
    },
    closed,
  ),
  secretFields: [],
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
