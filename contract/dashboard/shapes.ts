import { Type, type TObject, type TSchema } from 'typebox';
import { idPattern, type IdPrefix } from '../ids.ts';
import { DEFAULT_PAGE, MAX_NAME_CHARACTERS, MAX_PAGE } from '../limits.ts';
import { ROLES } from '../permissions.ts';

/** The parts that several schemas of the dashboard's API share. */
export const closed = { additionalProperties: false };

/** A time zone of the tz database, such as Asia/Qatar. */
export const TimeZone = Type.String({ format: 'time-zone', maxLength: 64 });
export const Moment = Type.String({ format: 'date-time' });
export const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_CHARACTERS, format: 'line' });
export const Email = Type.String({ format: 'email', maxLength: 254 });
export const Password = Type.String({ minLength: 10, maxLength: 128, description: 'At least 10 characters.' });
export const RoleName = Type.Enum(ROLES);

export const Id = (prefix: IdPrefix) => Type.String({ pattern: idPattern(prefix) });
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** One page of a list, newest first. Send `next_cursor` as `?cursor=` to get the next page. */
export const Page = <S extends TSchema>(item: S) =>
  Type.Object({
    data: Type.Array(item),
    next_cursor: Nullable(Type.String()),
    has_more: Type.Boolean(),
  });

/** A short list that has no pages. */
export const Whole = <S extends TSchema>(item: S) => Type.Object({ data: Type.Array(item) });

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
};

/** The query of a paged list, with the filters of the list. */
export const PageQuery = <P extends Record<string, TSchema>>(filters: P): TObject<typeof paging & P> =>
  Type.Object({ ...paging, ...filters }, closed) as TObject<typeof paging & P>;

/** The search text of a list. */
export const SearchText = Type.Optional(Type.String({ minLength: 1, maxLength: 100 }));
