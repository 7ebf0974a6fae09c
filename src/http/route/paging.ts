import { type CursorPosition, cursorScope, decodeCursor, encodeCursor, type Page } from '../../kernel/cursor.ts';

/** The start of a page in the form that the lists of the store expect. */
export type Position = { createdAt: Date; id: string };

export type Paging = {
  /** The method throws `cursor_invalid`. Null on the first page. */
  after(scope: string, cursor: string | undefined): Position | null;
  /** Builds the wire format of one page. The next page starts after the position of the last row. */
  page<Row extends { created_at: string }>(
    scope: string,
    page: { rows: readonly Row[]; hasMore: boolean },
    idOf?: (row: Row) => string,
  ): Page<Row>;
  /** Creates a signed cursor for any other position. The method `marked` reads the cursor back. */
  mark(scope: string, position: CursorPosition): string;
  marked(scope: string, cursor: string): CursorPosition;
};

export { cursorScope };

/** Builds pages of lists by (created_at, id), newest first, with signed cursors. */
export const createPaging = (key: Buffer): Paging => ({
  after: (scope, cursor) => {
    if (cursor === undefined) return null;
    const [createdAt, id] = decodeCursor(key, scope, cursor);
    return { createdAt: new Date(createdAt), id };
  },
  page: (scope, { rows, hasMore }, idOf = (row) => (row as unknown as { id: string }).id) => {
    const last = hasMore ? rows.at(-1) : undefined;
    return {
      data: [...rows],
      next_cursor: last ? encodeCursor(key, scope, [new Date(last.created_at).toISOString(), idOf(last)]) : null,
      has_more: last !== undefined,
    };
  },
  mark: (scope, position) => encodeCursor(key, scope, position),
  marked: (scope, cursor) => decodeCursor(key, scope, cursor),
});
