import type { FastifyRequest } from 'fastify';
import { isId } from '../../../../contract/ids.ts';
import { Refusal } from '../../../../contract/problems.ts';
import type { CampaignsDeps } from '../../../features/campaigns/deps.ts';
import type { Paging } from '../../route/paging.ts';

export type CampaignRoutesDeps = CampaignsDeps & { paging: Paging };

/** The declarations that all routes of this folder share. The routes accept only the campaign's own key. */
export const ACCESS = { access: { permission: 'campaigns', campaign: 'campaign_id' }, limit: 'campaigns' } as const;
export const TAG = 'Campaigns';

export const keyCallerOf = (request: FastifyRequest) => ({
  orgId: request.admission.caller.orgId,
  keyId: request.admission.caller.keyId,
  from: request.admission.from,
  address: request.ip,
  requestId: request.requestId,
  idempotency: request.idempotency,
});

/** Reads the ID in the path. Text that is not an ID matches no recipient. */
export function recipientIdOf(request: FastifyRequest): string {
  const { recipient_id: id } = request.params as { recipient_id: string };
  if (!isId('rcpt', id)) throw new Refusal('recipient_not_found');
  return id;
}
