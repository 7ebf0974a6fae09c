import type { ImportFault, ImportRecord } from '../../../contract/dashboard/imports.ts';
import { Refusal } from '../../../contract/problems.ts';
import { csv, csvHeader } from '../../../contract/csv.ts';
import type { Db } from '../../store/db.ts';
import { listImportFaults, listImports as listRows, readImport as readRow } from '../../store/imports/read.ts';
import type { PageOf, PageRequest } from '../../store/page.ts';
import { presentFault, presentImport } from './present-import.ts';

export async function readImport({ db }: { db: Db }, orgId: string, id: string): Promise<ImportRecord> {
  const row = await readRow(db, orgId, id);
  if (!row) throw new Refusal('import_not_found');
  return presentImport(row);
}

export async function listImports({ db }: { db: Db }, orgId: string, page: PageRequest): Promise<PageOf<ImportRecord>> {
  const { rows, hasMore } = await listRows(db, orgId, page);
  return { rows: rows.map(presentImport), hasMore };
}

/** Lists the failed rows in the order of the file. The position of a row in the list is its number. */
export async function listFaults(
  { db }: { db: Db },
  orgId: string,
  id: string,
  { limit, after }: PageRequest,
): Promise<PageOf<ImportFault>> {
  await readImport({ db }, orgId, id);
  const rows = await listImportFaults(db, orgId, id, { after: Number(after?.id ?? 0), limit: limit + 1 });
  return { rows: rows.slice(0, limit).map(presentFault), hasMore: rows.length > limit };
}

const PAGE = 1_000;

/**
 * Exports the failed rows as a file to correct and import again, with the columns of the file, the row number and the
 * reason. A cell that a spreadsheet would run as a formula becomes text.
 */
export async function exportFaults({ db }: { db: Db }, orgId: string, id: string): Promise<AsyncIterable<string>> {
  const { settings } = await readImport({ db }, orgId, id);
  const width = settings?.columns.length ?? 0;
  const header = settings?.columns.map((target, index) => target ?? `column ${index + 1}`) ?? [];
  return (async function* write() {
    yield csvHeader([...header, 'row', 'reason']);
    for (let after = 0; ;) {
      const rows = await listImportFaults(db, orgId, id, { after, limit: PAGE });
      if (rows.length === 0) return;
      yield csv(
        rows.map(({ cells, row, faults }) => [
          ...Array.from({ length: Math.max(width, cells.length) }, (_, index) => cells[index] ?? ''),
          row,
          faults.map(({ pointer, detail }) => `${pointer.slice(1)}${pointer ? ': ' : ''}${detail}`).join(' '),
        ]),
      );
      after = rows.at(-1)!.row;
    }
  })();
}
