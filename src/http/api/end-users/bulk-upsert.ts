import { type BulkEndUsers as Body, BulkEndUsers, BulkResults, CreateEndUser } from '../../../../contract/end-users.ts';
import { Refusal } from '../../../../contract/problems.ts';
import type { BulkRow } from '../../../features/end-users/write-end-users.ts';
import { bulkUpsert } from '../../../features/end-users/write-end-users.ts';
import type { Route } from '../../route/route.ts';
import { compileBody } from '../../../kernel/validation/validate.ts';
import { ACCESS, callerOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

/**
 * A body of 256 KiB contains fewer keys than this limit, which 500 people with a hundred attributes each would exceed.
 */
const BULK_KEYS = 60_000;
const checkRow = compileBody(CreateEndUser);

export const bulkUpsertRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'POST',
  path: '/api/end-users/bulk',
  ...ACCESS,
  operation: {
    id: 'bulkUpsertEndUsers',
    summary: 'Create or update up to 500 end users',
    description:
      'Each row is an upsert by `external_id`, then `email`, then `phone`. An invalid row gets the result `invalid` with the reason. Valid rows are written together. The results have the order of the rows.',
    tag: TAG,
    example: { end_users: [{ external_id: 'crm-42', name: 'Asha' }, { email: 'not an address' }] },
    examples: {
      200: {
        results: [
          { index: 0, status: 'created', id: exampleEndUser.id, errors: [] },
          {
            index: 1,
            status: 'invalid',
            id: null,
            errors: [{ pointer: '/email', code: 'format', detail: 'Must be an e-mail address.' }],
          },
        ],
      },
    },
  },
  body: BulkEndUsers,
  bodyKeys: BULK_KEYS,
  idempotent: true,
  responses: { 200: BulkResults },
  async handle(request, reply) {
    const rows = (request.body as Body).end_users.map(checked);
    const answer = await bulkUpsert(deps, callerOf(request), rows);
    if (answer.replayed) reply.header('idempotent-replayed', 'true');
    return answer.body;
  },
});

function checked(row: unknown): BulkRow {
  try {
    checkRow(row);
    return { person: row as CreateEndUser };
  } catch (error) {
    if (error instanceof Refusal) return { errors: error.extras.errors ?? [] };
    throw error;
  }
}
