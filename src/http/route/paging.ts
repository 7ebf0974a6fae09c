import { type CursorPosition, cursorScope, decodeCursor, encodeCursor, type Page } from '../../kernel/cursor.ts';

/** The start of a page, in the form that the store's lists take. */
export type Position = { createdAt: Date; id: string };

export type Paging = {
  /** Throws `cursor_invalid`; null on the first page. */
  after(scope: string, cursor: string | undefined): Position | null;
  /** The wire format of one page: `positionOf` returns the position of its last row in the list. */
  page<Row, Record>(
    scope: string,
    page: { rows: readonly Row[]; hasMore: boolean },
    present: (row: Row) => Record,
    positionOf: (row: Row) => Position,
  ): Page<Record>;
  /** A signed cursor for any other position, and the reverse. */
  mark(scope: string, position: CursorPosition): string;
  marked(scope: string, cursor: string): CursorPosition;
};

export { cursorScope };

/** Lists of (created_at, id), newest first, with signed cursors. */
export const createPaging = (key: Buffer): Paging => ({
  after: (scope, cursor) => {
    if (cursor === undefined) return null;
    const [createdAt, id] = decodeCursor(key, scope, cursor);
    return { createdAt: new Date(createdAt), id };
  },
  page: (scope, { rows, hasMore }, present, positionOf) => {
    const last = rows.at(-1);
    const next = hasMore && last !== undefined ? positionOf(last) : null;
    return {
      data: rows.map(present),
      next_cursor: next && encodeCursor(key, scope, [next.createdAt.toISOString(), next.id]),
      has_more: next !== null,
    };
  },
  mark: (scope, position) => encodeCursor(key, scope, position),
  marked: (scope, cursor) => decodeCursor(key, scope, cursor),
});
