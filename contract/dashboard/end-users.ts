import { Type, type Static } from 'typebox';
import { Moment, Nullable, PageQuery, SearchText } from './shapes.ts';

const Text = Nullable(Type.String());

export const EndUserRecord = Type.Object(
  {
    id: Type.String(),
    external_id: Text,
    name: Text,
    email: Text,
    phone: Text,
    locale: Text,
    time_zone: Text,
    attributes: Type.Record(Type.String(), Type.Unknown()),
    tags: Type.Array(Type.String()),
    identities: Type.Array(
      Type.Object({ channel_id: Type.String(), channel_kind: Type.String(), address: Type.String() }),
    ),
    consent: Type.Record(Type.String(), Type.Unknown()),
    blocked: Type.Boolean(),
    created_at: Moment,
    updated_at: Moment,
    last_seen_at: Nullable(Moment),
  },
  { title: 'DashboardEndUser' },
);
export type EndUserRecord = Static<typeof EndUserRecord>;

export const EndUserListQuery = PageQuery({ text: SearchText });
