import type { FastifyRequest } from 'fastify';
import { isId } from '../../../../contract/ids.ts';
import { Refusal } from '../../../../contract/problems.ts';
import type { EndUsersDeps } from '../../../features/end-users/deps.ts';
import type { Paging } from '../../route/paging.ts';

export type EndUserRoutesDeps = EndUsersDeps & { paging: Paging; baseUrl: string };

/** The declarations that all routes of this folder share. */
export const ACCESS = { access: { permission: 'end_users' }, limit: 'end_users' } as const;
export const TAG = 'End users';

export const callerOf = (request: FastifyRequest) => ({
  orgId: request.admission.caller.orgId,
  keyId: request.admission.caller.keyId,
  from: request.admission.from,
  idempotency: request.idempotency,
});

/** Reads the ID in the path. Text that is not an ID matches no person. */
export function endUserIdOf(request: FastifyRequest): string {
  const { end_user_id: id } = request.params as { end_user_id: string };
  if (!isId('enduser', id)) throw new Refusal('end_user_not_found');
  return id;
}
