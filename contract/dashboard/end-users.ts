import { Type, type Static } from 'typebox';
import { EndUser, Tag } from '../end-users.ts';
import { closed, Id, PageQuery, SearchText } from './shapes.ts';

/** The dashboard shows people as the public API does. */
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

/** As many as a page of the list may have. */
const MAX_TAGGED = 100;

/** One tag is added to each of them, or taken away. */
export const TagEndUsersBody = Type.Object(
  {
    ids: Type.Array(Id('enduser'), { minItems: 1, maxItems: MAX_TAGGED, uniqueItems: true }),
    action: Type.Union([Type.Literal('add'), Type.Literal('remove')]),
    tag: Tag,
  },
  closed,
);
export type TagEndUsersBody = Static<typeof TagEndUsersBody>;

/** `changed`: people who have the tag now, or not any more, and did not before. `full`: people with the most tags already. */
export const TaggedEndUsers = Type.Object(
  { changed: Type.Integer(), full: Type.Integer() },
  { title: 'TaggedEndUsers' },
);
export type TaggedEndUsers = Static<typeof TaggedEndUsers>;
