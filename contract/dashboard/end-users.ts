import { Type } from 'typebox';
import { EndUser, Tag } from '../end-users.ts';
import { closed, PageQuery, SearchText } from './shapes.ts';

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
