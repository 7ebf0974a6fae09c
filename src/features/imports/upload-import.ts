import {
  IMPORT_PIECE_BYTES,
  type ImportRecord,
  MAX_IMPORT_PIECES,
  MAX_OPEN_IMPORTS,
} from '../../../contract/dashboard/imports.ts';
import { Refusal } from '../../../contract/problems.ts';
import { newId } from '../../kernel/ids.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Db } from '../../store/db.ts';
import { lockOrganization } from '../../store/documents.ts';
import { countOpenImports, insertImport, putPiece, readImport } from '../../store/imports/read.ts';
import { presentImport } from './present-import.ts';

/** Creates an import without a file. The pieces of the file follow in any order, and each piece may be repeated. */
export async function createImport(
  { db }: { db: Db },
  orgId: string,
  { name, bytes }: { name: string; bytes: number },
  actor: Actor,
): Promise<ImportRecord> {
  const id = newId('import');
  return db.transaction(async (tx) => {
    // The lock makes two simultaneous calls check the limit one after the other.
    await lockOrganization(tx, orgId);
    if ((await countOpenImports(tx, orgId)) >= MAX_OPEN_IMPORTS)
      throw new Refusal(
        'import_not_ready',
        `${MAX_OPEN_IMPORTS} files wait already: import or cancel one of them, or wait a day.`,
      );
    await insertImport(tx, orgId, { id, name, bytes, createdBy: actor.userId });
    await recordAudit(tx, { orgId, actor, action: 'import.created', subjectId: id, facts: { name, bytes } });
    return presentImport((await readImport(tx, orgId, id))!);
  });
}

export const piecesOf = (bytes: number): number => Math.ceil(bytes / IMPORT_PIECE_BYTES);

export async function sendPiece(
  { db }: { db: Db },
  orgId: string,
  id: string,
  number: string,
  bytes: Buffer,
): Promise<void> {
  const row = await readImport(db, orgId, id);
  if (!row) throw new Refusal('import_not_found');
  const n = /^\d{1,4}$/.test(number) ? Number(number) : MAX_IMPORT_PIECES;
  const last = piecesOf(row.bytes) - 1;
  const wanted = n < last ? IMPORT_PIECE_BYTES : row.bytes - last * IMPORT_PIECE_BYTES;
  if (n > last || bytes.length !== wanted) {
    const detail = `Piece ${number} of this file does not exist, or its length does not match the size of the file.`;
    throw new Refusal('validation_failed', detail, { errors: [{ pointer: '', code: 'length', detail }] });
  }
  if (!(await putPiece(db, orgId, id, { n, bytes }))) throw new Refusal('import_not_ready');
}
