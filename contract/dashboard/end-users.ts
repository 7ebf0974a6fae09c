import { Type, type Static } from 'typebox';
import { EndUser, Tag } from '../end-users.ts';
import { closed, Id, PageQuery, SearchText } from './shapes.ts';

/** The dashboard shows people in the same form as the public API. */
export const EndUserRecord = EndUser;
export type EndUserRecord = EndUser;

/** `attribute` is `name=value`. */
const filters = {
  text: SearchText,
  tag: Type.Optional(Tag),
  attribute: Type.Optional(Type.String({ pattern: '^[^=]{1,64}=', maxLength: 200 })),
  blocked: Type.Optional(Type.Boolean()),
};

export const EndUserListQuery = PageQuery(filters);
export const EndUserExportQuery = Type.Object(filters, closed);

/** The maximum number of people on one page of the list. */
const MAX_TAGGED = 100;

/** Adds one tag to each person, or removes it. */
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
 * `changed`: the number of people whose tags changed. `full`: the number of people who already have the maximum number
 * of tags.
 */
export const TaggedEndUsers = Type.Object(
  { changed: Type.Integer(), full: Type.Integer() },
  { title: 'TaggedEndUsers' },
);
export type TaggedEndUsers = Static<typeof TaggedEndUsers>;
