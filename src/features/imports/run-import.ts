import type { ImportRecord, RunImportBody } from '../../../contract/dashboard/imports.ts';
import { Refusal } from '../../../contract/problems.ts';
import { type Actor, recordAudit } from '../../store/organizations/audit.ts';
import type { Db } from '../../store/db.ts';
import { cancelImport as cancelRow, queueImport, readImport } from '../../store/imports/read.ts';
import { presentImport } from './present-import.ts';
import { piecesOf } from './upload-import.ts';

const IDENTIFIERS = ['external_id', 'email', 'phone'];

/** Queues the file for a worker, as a dry run or as a real import. */
export async function runImport(
  { db }: { db: Db },
  orgId: string,
  id: string,
  { dry_run: dryRun, ...settings }: RunImportBody,
  actor: Actor,
): Promise<ImportRecord> {
  checkColumns(settings.columns);
  return db.transaction(async (tx) => {
    const row = await readImport(tx, orgId, id);
    if (!row) throw new Refusal('import_not_found');
    if (row.pieces === 0 || row.pieces !== piecesOf(row.bytes))
      throw new Refusal(
        'import_not_ready',
        row.pieces === 0
          ? 'The file was not uploaded, or has expired.'
          : `${row.pieces} of ${piecesOf(row.bytes)} pieces have arrived.`,
      );
    if (!(await queueImport(tx, orgId, id, { settings, dryRun })))
      throw new Refusal('import_not_ready', `The import is ${row.state}.`);
    if (!dryRun) await recordAudit(tx, { orgId, actor, action: 'import.started', subjectId: id });
    return presentImport((await readImport(tx, orgId, id))!);
  });
}

function checkColumns(columns: readonly (string | null)[]): void {
  const chosen = columns.filter((one) => one !== null);
  const errors = columns.flatMap((one, index) =>
    one !== null && columns.indexOf(one) !== index
      ? [{ pointer: `/columns/${index}`, code: 'duplicate', detail: `Another column is already mapped to ${one}.` }]
      : [],
  );
  if (!chosen.some((one) => IDENTIFIERS.includes(one))) {
    const detail = 'Choose a column for external_id, email or phone: it is needed to match existing people.';
    errors.push({ pointer: '/columns', code: 'required', detail });
  }
  if (errors.length > 0) throw new Refusal('validation_failed', undefined, { errors });
}

/** Stops an import. Imported rows stay, and the file is deleted. */
export async function cancelImport({ db }: { db: Db }, orgId: string, id: string, actor: Actor): Promise<ImportRecord> {
  return db.transaction(async (tx) => {
    const row = await readImport(tx, orgId, id);
    if (!row) throw new Refusal('import_not_found');
    if (row.state === 'cancelled') return presentImport(row);
    if (!(await cancelRow(tx, orgId, id))) throw new Refusal('import_not_ready', 'The import has already ended.');
    await recordAudit(tx, { orgId, actor, action: 'import.cancelled', subjectId: id, facts: { rows: row.rows } });
    return presentImport((await readImport(tx, orgId, id))!);
  });
}
