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
  /** What is not secret. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** What the provider said of the account when it was connected: names and ids. */
  account: Type.Record(Type.String(), Type.String()),
  /** Where the provider calls us; null where nothing comes in over HTTP. */
  inbound_url: Nullable(Type.String()),
  status: Type.Union([Type.Literal('connected'), Type.Literal('broken')]),
  status_detail: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
};

export const ChannelRecord = Type.Object(record, { title: 'DashboardChannel' });
export type ChannelRecord = Static<typeof ChannelRecord>;

/** One channel, looked at closely. */
export const ChannelDetail = Type.Object(
  {
    ...record,
    received: Type.Boolean({ description: 'A person has written on it.' }),
    refused_origins: Type.Array(Type.Object({ origin: Type.String(), refused_at: Moment }), {
      description: 'Sites that are not allowed and whose pages tried to open this web chat, newest first.',
    }),
  },
  { title: 'DashboardChannelDetail' },
);
export type ChannelDetail = Static<typeof ChannelDetail>;

/** What the other side must know of us is in the answer that makes it, and in no other. */
export const ConnectedChannel = Type.Object(
  {
    ...record,
    secret: Type.Optional(Type.String({ description: 'Signs what goes in and out.' })),
    verify_token: Type.Optional(Type.String({ description: 'The provider shows it when it first calls.' })),
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
    /** Replaced as a whole, but for secret fields: left out they stay, null takes them away. */
    settings: Type.Optional(settings),
    /** Creates a new secret or verify token; the old one stops working immediately. */
    new_secret: Type.Optional(Type.Literal(true)),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateChannelBody = Static<typeof UpdateChannelBody>;

/** What the provider says of the stored credentials at this moment; the channel's status follows it. */
export const ChannelCheck = Type.Object(
  {
    ok: Type.Boolean(),
    code: Nullable(Type.String()),
    detail: Nullable(Type.String()),
    /** Whether there is a provider to check with: a sandbox has none. */
    asked: Type.Boolean(),
  },
  { title: 'ChannelCheck' },
);
export type ChannelCheck = Static<typeof ChannelCheck>;

/** A text that the provider has approved, for people who have not written lately. */
export const ChannelTemplate = Type.Object(
  {
    name: Type.String(),
    language: Type.String(),
    /** In the words of the provider: approved, pending, rejected, paused, … */
    status: Type.String(),
    category: Type.String(),
    header: Nullable(Type.String()),
    /** With its placeholders, `{{1}}` or `{{name}}`. */
    body: Type.String(),
    footer: Nullable(Type.String()),
    buttons: Type.Array(Type.String()),
    /** The names of the placeholders of the body. */
    variables: Type.Array(Type.String()),
    /** False: not approved, or something beside the body must be filled for each message. */
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
