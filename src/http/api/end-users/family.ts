import type { FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { EndUser } from '../../../../contract/end-users.ts';
import { isId } from '../../../../contract/ids.ts';
import { Refusal } from '../../../../contract/problems.ts';
import type { EndUsersDeps } from '../../../features/end-users/deps.ts';
import type { Paging } from '../../route/paging.ts';

/** Shared by the routes of the family. */
export type EndUserRoutesDeps = EndUsersDeps & { paging: Paging; baseUrl: string };

export const FAMILY = { access: { permission: 'end_users' }, limit: 'end_users' } as const;
export const TAG = 'End users';

/** One page of a list, as a named schema. */
export const pageOf = <S extends TSchema>(item: S, title: string) =>
  Type.Object(
    { data: Type.Array(item), next_cursor: Type.Union([Type.String(), Type.Null()]), has_more: Type.Boolean() },
    { title },
  );

export const EndUserPage = pageOf(EndUser, 'EndUserPage');

export const callerOf = (request: FastifyRequest) => ({
  orgId: request.admission.caller.orgId,
  keyId: request.admission.caller.keyId,
  from: request.admission.from,
  idempotency: request.idempotency,
});

/** The ID in the path. Text that is not an ID matches no person. */
export function endUserIdOf(request: FastifyRequest): string {
  const { end_user_id: id } = request.params as { end_user_id: string };
  if (!isId('enduser', id)) throw new Refusal('end_user_not_found');
  return id;
}

export const exampleEndUser = {
  id: 'enduser_01k8v3m9e5f7rsm6z4n0q2x1af',
  external_id: 'crm-42',
  name: 'Asha',
  email: 'asha@example.qa',
  phone: '+97430000000',
  locale: 'ar',
  time_zone: 'Asia/Qatar',
  attributes: { plan: 'gold' },
  tags: ['vip'],
  identities: [],
  consent: { whatsapp: { status: 'opted_in', source: 'api', at: '2026-11-20T20:00:00.000Z' } },
  blocked: false,
  created_at: '2026-11-20T20:00:00.000Z',
  updated_at: '2026-11-20T20:00:00.000Z',
  last_seen_at: null,
};

export const exampleConversation = {
  id: 'conv_01k8v3m9e5f7rsm6z4n0q2x1ae',
  agent_id: 'agent_01k8v3m9e5f7rsm6z4n0q2x1ac',
  channel_id: 'channel_01k8v3m9e5f7rsm6z4n0q2x1ag',
  channel_kind: 'whatsapp',
  key: 'order-A-1043',
  status: 'open',
  locale: 'ar',
  tags: [],
  rating: null,
  created_at: '2026-11-20T20:00:00.000Z',
  updated_at: '2026-11-20T20:00:00.000Z',
};

export const exampleMessage = {
  id: 'msg_01k8v3m9e5f7rsm6z4n0q2x1ak',
  role: 'end_user',
  content: { type: 'text', text: 'Where is my order?' },
  sources: [],
  created_at: '2026-11-20T20:00:00.000Z',
};
