import { previewImport } from '../../features/imports/preview-import.ts';
import { exportFaults, listFaults, listImports, readImport } from '../../features/imports/read-imports.ts';
import { cancelImport, runImport } from '../../features/imports/run-import.ts';
import { createImport, sendPiece } from '../../features/imports/upload-import.ts';
import type { OrganizationsDeps } from '../../features/organizations/deps.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './desk.ts';
import { download } from './download.ts';

export type ImportsDeps = {
  db: OrganizationsDeps['db'];
  /** An import was queued: wakes the worker of this process. */
  onImport(): void;
};

/** Files of end users. */
export const importRoutes = ({ route, deps: { db, onImport } }: Desk<ImportsDeps>): Route[] => [
  route('listImports', ({ orgId, paged }) => paged({}, (page) => listImports({ db }, orgId, page))),
  route('createImport', ({ orgId, body, actor }) => createImport({ db }, orgId, body, actor)),
  route('readImport', ({ orgId, params }) => readImport({ db }, orgId, params.import_id)),
  route('sendImportPiece', ({ orgId, params, body }) =>
    sendPiece({ db }, orgId, params.import_id, params.piece, body as Buffer),
  ),
  route('previewImport', ({ orgId, params, query }) => previewImport({ db }, orgId, params.import_id, query)),
  route('runImport', async ({ orgId, params, body, actor }) => {
    const record = await runImport({ db }, orgId, params.import_id, body, actor);
    onImport();
    return record;
  }),
  route('cancelImport', ({ orgId, params, actor }) => cancelImport({ db }, orgId, params.import_id, actor)),
  route('listImportFaults', ({ orgId, params, paged }) =>
    paged(
      { import: params.import_id },
      (page) => listFaults({ db }, orgId, params.import_id, page),
      (fault) => String(fault.row),
    ),
  ),
  route('exportImportFaults', async ({ orgId, params, reply }) =>
    download(reply, {
      name: 'failed-rows.csv',
      type: 'text/csv; charset=utf-8',
      parts: await exportFaults({ db }, orgId, params.import_id),
    }),
  ),
];
