import { Type, type Static } from 'typebox';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import { MessageContent } from '../messages.ts';
import { closed, Id, Moment, Nullable } from './shapes.ts';

const settings = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 50, propertyNames: { maxLength: 64 } });

const record = {
  id: Type.String(),
  agent_id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  /** The settings of the channel without secrets. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** The names and IDs of the account that the provider returned when the channel was connected. */
  account: Type.Record(Type.String(), Type.String()),
  /** The URL that the provider calls. Null: the kind receives no messages over HTTP. */
  inbound_url: Nullable(Type.String()),
  status: Type.Union([Type.Literal('connected'), Type.Literal('broken')]),
  status_detail: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
};

export const ChannelRecord = Type.Object(record, { title: 'DashboardChannel' });
export type ChannelRecord = Static<typeof ChannelRecord>;

/** One channel with more details than in the list. */
export const ChannelDetail = Type.Object(
  {
    ...record,
    received: Type.Boolean({ description: 'A person has written on it.' }),
    refused_origins: Type.Array(Type.Object({ origin: Type.String(), refused_at: Moment }), {
      description: 'Sites that are not allowed and whose pages tried to open this web chat, newest first.',
    }),
    reached_origins: Type.Array(Type.Object({ origin: Type.String(), reached_at: Moment }), {
      description: 'Allowed sites on whose pages this web chat was opened, with the last time.',
    }),
  },
  { title: 'DashboardChannelDetail' },
);
export type ChannelDetail = Static<typeof ChannelDetail>;

/** Only a response that creates a secret or verify token contains the secret. */
export const ConnectedChannel = Type.Object(
  {
    ...record,
    secret: Type.Optional(Type.String({ description: 'Signs outgoing and incoming calls.' })),
    verify_token: Type.Optional(Type.String({ description: 'The provider sends it in its first call.' })),
  },
  { title: 'ConnectedChannel' },
);
export type ConnectedChannel = Static<typeof ConnectedChannel>;

export const ConnectChannelBody = Type.Object(
  {
    agent_id: Id('agent'),
    kind: Type.String({ minLength: 1, maxLength: 40 }),
    name: Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' }),
    settings: Type.Optional(settings),
  },
  closed,
);
export type ConnectChannelBody = Static<typeof ConnectChannelBody>;

export const UpdateChannelBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' })),
    enabled: Type.Optional(Type.Boolean()),
    /**
     * The settings replace all stored settings except secrets. An absent secret does not change, and null removes the
     * secret.
     */
    settings: Type.Optional(settings),
    /** Creates a new secret or verify token; the old value stops working immediately. */
    new_secret: Type.Optional(Type.Literal(true)),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateChannelBody = Static<typeof UpdateChannelBody>;

/** The result of a check of the stored credentials with the provider. The check updates the status of the channel. */
export const ChannelCheck = Type.Object(
  {
    ok: Type.Boolean(),
    code: Nullable(Type.String()),
    detail: Nullable(Type.String()),
    /** True: Parley has called the provider. A sandbox has no provider that could be called. */
    asked: Type.Boolean(),
  },
  { title: 'ChannelCheck' },
);
export type ChannelCheck = Static<typeof ChannelCheck>;

/** A text that the provider has approved for people who have not written recently. */
export const ChannelTemplate = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    /** The status in the provider's words: approved, pending, rejected, paused, … */
    status: Type.String(),
    category: Type.String(),
    /** The text of the header, if the header is text. */
    header: Nullable(Type.String()),
    header_type: Nullable(Type.Enum(['text', 'image', 'video', 'document', 'location'])),
    /** The text of the template with its placeholders, `{{1}}` or `{{name}}`. */
    body: Type.String(),
    footer: Nullable(Type.String()),
    buttons: Type.Array(Type.String()),
    /**
     * The values that each message needs, which are the placeholders of the body by name, and `header.text`,
     * `header.image`, `header.video`, `header.document`, `header.latitude`, `header.longitude`, `button.1.url`,
     * `button.1.code`.
     */
    variables: Type.Array(Type.String()),
    /** False: the template is not approved, or has a part that Parley does not support. */
    can_be_sent: Type.Boolean(),
  },
  { title: 'ChannelTemplate' },
);
export type ChannelTemplate = Static<typeof ChannelTemplate>;

export const ChannelTemplates = Type.Object({ items: Type.Array(ChannelTemplate) }, { title: 'ChannelTemplates' });
export type ChannelTemplates = Static<typeof ChannelTemplates>;

export const SendTestBody = Type.Object(
  { address: Type.String({ minLength: 1, maxLength: 320 }), content: MessageContent },
  closed,
);
export type SendTestBody = Static<typeof SendTestBody>;
