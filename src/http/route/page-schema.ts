import { Type, type TSchema } from 'typebox';

/** One page of a list, as a named schema. */
export const pageOf = <S extends TSchema>(item: S, title: string) =>
  Type.Object(
    { data: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]), has_more: Type.Boolean() },
    { title },
  );
