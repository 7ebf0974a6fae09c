import { previewImport } from '../../features/imports/preview-import.ts';
import { exportFaults, listFaults, listImports, readImport } from '../../features/imports/read-imports.ts';
import { cancelImport, runImport } from '../../features/imports/run-import.ts';
import { createImport, sendPiece } from '../../features/imports/upload-import.ts';
import type { OrganizationsDeps } from '../../features/organizations/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

export type ImportsDeps = {
  db: OrganizationsDeps['db'];
  /** Wakes the worker of this process after an import was queued. */
  wake: { imports(): void };
};

/** Routes for files of end users. */
export const importRoutes = ({ route, deps }: RouteDeps<ImportsDeps>): Route[] => [
  route('listImports', ({ orgId, paged }) => paged({}, (page) => listImports(deps, orgId, page))),
  route('createImport', ({ orgId, body, actor }) => createImport(deps, orgId, body, actor)),
  route('readImport', ({ orgId, params }) => readImport(deps, orgId, params.import_id)),
  route('sendImportPiece', ({ orgId, params, body }) =>
    sendPiece(deps, orgId, params.import_id, params.piece, body as Buffer),
  ),
  route('previewImport', ({ orgId, params, query }) => previewImport(deps, orgId, params.import_id, query)),
  route('runImport', async ({ orgId, params, body, actor }) => {
    const record = await runImport(deps, orgId, params.import_id, body, actor);
    deps.wake.imports();
    return record;
  }),
  route('cancelImport', ({ orgId, params, actor }) => cancelImport(deps, orgId, params.import_id, actor)),
  route('listImportFaults', ({ orgId, params, paged }) =>
    paged(
      { import: params.import_id },
      (page) => listFaults(deps, orgId, params.import_id, page),
      (fault) => String(fault.row),
    ),
  ),
  route('exportImportFaults', async ({ orgId, params, download }) =>
    download({
      name: 'failed-rows.csv',
      type: 'text/csv; charset=utf-8',
      parts: await exportFaults(deps, orgId, params.import_id),
    }),
  ),
];
