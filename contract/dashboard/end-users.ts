import { Type, type Static } from 'typebox';
import { EndUser, MAX_ATTRIBUTES, Tag } from '../end-users.ts';
import { RECIPIENT_STATUSES } from '../campaigns.ts';
import { closed, Id, Moment, PageQuery, SearchText } from './shapes.ts';

/** The dashboard shows people in the same form as the public API. */
export const EndUserRecord = EndUser;
export type EndUserRecord = EndUser;

/** The filter `attribute` has the form `name=value`. */
const filters = {
  text: SearchText,
  tag: Type.Optional(Tag),
  attribute: Type.Optional(Type.String({ pattern: '^[^=]{1,64}=', maxLength: 200 })),
  blocked: Type.Optional(Type.Boolean()),
};

export const EndUserListQuery = PageQuery(filters);
export const EndUserExportQuery = Type.Object(filters, closed);

/** One page of the list has at most this many people. */
const MAX_TAGGED = 100;

/** Adds one tag to each person, or removes the tag. */
export const TagEndUsersBody = Type.Object(
  {
    ids: Type.Array(Id('enduser'), { minItems: 1, maxItems: MAX_TAGGED, uniqueItems: true }),
    action: Type.Union([Type.Literal('add'), Type.Literal('remove')]),
    tag: Tag,
  },
  closed,
);
export type TagEndUsersBody = Static<typeof TagEndUsersBody>;

/**
 * The field `changed` is the number of people whose tags changed. The field `full` is the number of people who already
 * have the maximum number of tags.
 */
export const TaggedEndUsers = Type.Object(
  { changed: Type.Integer(), full: Type.Integer() },
  { title: 'TaggedEndUsers' },
);
export type TaggedEndUsers = Static<typeof TaggedEndUsers>;

/** A list shows at most this many campaigns of one person, the newest first. */
export const MAX_SHOWN_CAMPAIGNS = 20;

/** One enrolment of a person in a campaign. */
export const EndUserCampaign = Type.Object(
  {
    recipient_id: Type.String(),
    campaign_id: Type.String(),
    name: Type.String(),
    status: Type.Enum(RECIPIENT_STATUSES),
    created_at: Moment,
  },
  { title: 'EndUserCampaign' },
);
export type EndUserCampaign = Static<typeof EndUserCampaign>;

/** The attributes that members see first, in their order. The other attributes follow in the order of their names. */
export const AttributeOrder = Type.Object(
  { names: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: MAX_ATTRIBUTES, uniqueItems: true }) },
  { ...closed, title: 'AttributeOrder' },
);
export type AttributeOrder = Static<typeof AttributeOrder>;
