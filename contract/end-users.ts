import { Type, type Static } from 'typebox';
import { MAX_NAME_CHARACTERS } from './limits.ts';
import { SurveyRating } from './ratings.ts';

const closed = { additionalProperties: false };
const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Moment = Type.String({ format: 'date-time' });

export const MAX_TAGS = 100;
export const MAX_ATTRIBUTES = 100;
export const MAX_BULK = 500;

export const CONSENT_STATUSES = ['opted_in', 'opted_out'] as const;

export const Tag = Type.String({ minLength: 1, maxLength: 64 });
const ExternalId = Type.String({ minLength: 1, maxLength: 255, description: "The caller's own ID of the person." });
const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, format: 'line' });
const Email = Type.String({ format: 'email', maxLength: 254, description: 'Stored in lower case.' });
const Phone = Type.String({ format: 'phone', maxLength: 16, description: 'E.164, e.g. +97430000000.' });
const Locale = Type.String({ format: 'locale', maxLength: 35, description: 'BCP 47, e.g. ar or ar-QA.' });
const TimeZone = Type.String({ format: 'time-zone', maxLength: 64, description: 'IANA name, e.g. Asia/Qatar.' });
const Attributes = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: MAX_ATTRIBUTES,
  propertyNames: { minLength: 1, maxLength: 64 },
  description: 'Merged into the stored attributes. Null removes an attribute.',
});
const Tags = Type.Array(Tag, { maxItems: MAX_TAGS, description: 'Replaces all stored tags.' });

/** One end user, in the same form in every response. */
export const EndUser = Type.Object(
  {
    id: Type.String(),
    external_id: nullable(Type.String()),
    name: nullable(Type.String()),
    email: nullable(Type.String()),
    phone: nullable(Type.String()),
    locale: nullable(Type.String()),
    time_zone: nullable(Type.String()),
    attributes: Type.Record(Type.String(), Type.Unknown()),
    tags: Type.Array(Type.String()),
    identities: Type.Array(
      Type.Object({ channel_id: Type.String(), channel_kind: Type.String(), address: Type.String() }),
    ),
    /** The consent for each kind of channel, as `{ status, source, at }`. */
    consent: Type.Record(Type.String(), Type.Unknown()),
    blocked: Type.Boolean(),
    created_at: Moment,
    updated_at: Moment,
    last_seen_at: nullable(Moment),
  },
  { title: 'EndUser' },
);
export type EndUser = Static<typeof EndUser>;

const profile = {
  name: Type.Optional(nullable(Name)),
  email: Type.Optional(nullable(Email)),
  phone: Type.Optional(nullable(Phone)),
  locale: Type.Optional(nullable(Locale)),
  time_zone: Type.Optional(nullable(TimeZone)),
  attributes: Type.Optional(Attributes),
  tags: Type.Optional(Tags),
  blocked: Type.Optional(Type.Boolean({ description: 'Nothing is sent to a blocked person.' })),
};

/** The fields of an upsert. Absent fields do not change, and null removes a value. */
export const UpsertEndUser = Type.Object(profile, { ...closed, title: 'UpsertEndUser' });
export type UpsertEndUser = Static<typeof UpsertEndUser>;

export const CreateEndUser = Type.Object(
  { external_id: Type.Optional(nullable(ExternalId)), ...profile },
  { ...closed, title: 'CreateEndUser' },
);
export type CreateEndUser = Static<typeof CreateEndUser>;

export const UpdateEndUser = Type.Object(
  { external_id: Type.Optional(nullable(ExternalId)), ...profile },
  { ...closed, title: 'UpdateEndUser' },
);
export type UpdateEndUser = Static<typeof UpdateEndUser>;

export const BulkEndUsers = Type.Object(
  {
    end_users: Type.Array(
      // The alternative without rules comes first, so the whole request is accepted. Later, each row is validated
      // against the second alternative.
      Type.Union([Type.Object({}, { description: 'Any other value gets the result `invalid`.' }), CreateEndUser]),
      { minItems: 1, maxItems: MAX_BULK },
    ),
  },
  { ...closed, title: 'BulkEndUsers' },
);
export type BulkEndUsers = { end_users: unknown[] };

const Fault = Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() });

export const BulkResult = Type.Object(
  {
    index: Type.Integer(),
    status: Type.Enum(['created', 'updated', 'invalid']),
    id: nullable(Type.String()),
    errors: Type.Array(Fault),
  },
  { title: 'BulkResult' },
);
export type BulkResult = Static<typeof BulkResult>;

export const BulkResults = Type.Object({ results: Type.Array(BulkResult) }, { title: 'BulkResults' });

export const SearchEndUsers = Type.Object(
  {
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The start of a word of the name, or the start of the e-mail address, phone number or external ID.',
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          attributes: Type.Optional(
            Type.Record(Type.String(), Type.Unknown(), {
              maxProperties: 20,
              propertyNames: { minLength: 1, maxLength: 64 },
              description: 'Finds people who have these attributes with exactly these values.',
            }),
          ),
          tags: Type.Optional(
            Type.Array(Tag, { maxItems: 20, description: 'Finds people who have all of these tags.' }),
          ),
          external_id: Type.Optional(ExternalId),
          email: Type.Optional(Email),
          phone: Type.Optional(Phone),
          blocked: Type.Optional(Type.Boolean()),
          updated_after: Type.Optional(Moment),
        },
        closed,
      ),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  },
  { ...closed, title: 'SearchEndUsers' },
);
export type SearchEndUsers = Static<typeof SearchEndUsers>;

export const SetConsent = Type.Object(
  {
    status: Type.Enum(CONSENT_STATUSES),
    source: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Where the person gave or withdrew consent. Absent: api.',
      }),
    ),
  },
  { ...closed, title: 'SetConsent' },
);
export type SetConsent = Static<typeof SetConsent>;

/** A conversation in the list on the person's page. */
export const EndUserConversation = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    channel_id: Type.String(),
    channel_kind: Type.String(),
    key: nullable(Type.String()),
    status: Type.Enum(['open', 'handed_off', 'resolved']),
    locale: nullable(Type.String()),
    tags: Type.Array(Type.String()),
    rating: nullable(SurveyRating),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'EndUserConversation' },
);
export type EndUserConversation = Static<typeof EndUserConversation>;

/** All stored data about one end user. */
export const EndUserExport = Type.Object(
  {
    exported_at: Moment,
    end_user: EndUser,
    conversations: Type.Array(EndUserConversation),
    messages: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    runs: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    approvals: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    recipients: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    ratings: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: 'EndUserExport' },
);
