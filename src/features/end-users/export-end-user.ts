import { timestamp } from '../../kernel/clock.ts';
import { exportPages } from '../../store/end-users/export.ts';
import { presentEndUserConversation } from './present-end-user.ts';
import { readEndUser } from './read-end-users.ts';
import type { EndUsersDeps } from './deps.ts';

/** Yields all stored data about a person as pieces of one JSON text. The text is read page by page while it is sent. */
export async function exportEndUser(
  deps: Pick<EndUsersDeps, 'db'>,
  orgId: string,
  id: string,
): Promise<AsyncIterable<string>> {
  const endUser = await readEndUser(deps, orgId, id);
  const pages = exportPages(deps.db, orgId, id);
  return (async function* write() {
    yield `{"exported_at":"${timestamp(Date.now())}","end_user":${JSON.stringify(endUser)}`;
    yield* list('conversations', pages.conversations(), presentEndUserConversation);
    yield* list('messages', pages.messages(), (row) => row);
    yield* list('runs', pages.runs(), (row) => row);
    yield* list('approvals', pages.approvals(), (row) => row);
    yield* list('recipients', pages.recipients(), (row) => row);
    yield* list('ratings', pages.ratings(), (row) => row);
    yield '}';
  })();
}

async function* list<Row>(
  name: string,
  pages: AsyncIterable<readonly Row[]>,
  present: (row: Row) => unknown,
): AsyncIterable<string> {
  yield `,"${name}":[`;
  let isFirst = true;
  for await (const rows of pages) {
    const text = rows.map((row) => JSON.stringify(present(row))).join(',');
    if (text !== '') yield isFirst ? text : `,${text}`;
    if (rows.length > 0) isFirst = false;
  }
  yield ']';
}
