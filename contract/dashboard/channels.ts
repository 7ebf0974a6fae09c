import { Type, type Static } from 'typebox';
import { MAX_LABEL_CHARACTERS } from '../limits.ts';
import { closed, Id, Moment, Nullable } from './shapes.ts';

/** The kinds that this version can connect; the list of all kinds grows with the catalogue. */
export const CHANNEL_KINDS = ['sandbox', 'webhook'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

const record = {
  id: Type.String(),
  agent_id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  enabled: Type.Boolean(),
  /** What is not secret. */
  settings: Type.Record(Type.String(), Type.Unknown()),
  status: Type.Union([Type.Literal('connected'), Type.Literal('broken')]),
  status_detail: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
};

export const ChannelRecord = Type.Object(record, { title: 'DashboardChannel' });
export type ChannelRecord = Static<typeof ChannelRecord>;

/** The answer that connects a channel is the only one that shows its `secret`. */
export const ConnectedChannel = Type.Object(
  { ...record, secret: Type.Optional(Type.String()) },
  { title: 'ConnectedChannel' },
);
export type ConnectedChannel = Static<typeof ConnectedChannel>;

export const ConnectChannelBody = Type.Object(
  {
    agent_id: Id('agent'),
    kind: Type.String({ minLength: 1, maxLength: 40 }),
    name: Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS }),
    settings: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), { maxProperties: 50 })),
  },
  closed,
);
export type ConnectChannelBody = Static<typeof ConnectChannelBody>;

export const UpdateChannelBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS })),
    enabled: Type.Optional(Type.Boolean()),
    settings: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), { maxProperties: 50 })),
  },
  { ...closed, minProperties: 1 },
);
export type UpdateChannelBody = Static<typeof UpdateChannelBody>;

/** Settings of a webhook channel. */
export const WebhookSettings = Type.Object(
  { url: Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }) },
  closed,
);
