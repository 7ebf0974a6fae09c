import { ClientToken, NewClientToken } from '../../../../contract/client-tokens.ts';
import { createClientToken, type ClientTokensDeps } from '../../../features/client-tokens/create-client-token.ts';
import type { Route } from '../../route/route.ts';

/** A backend creates tokens for the pages of its signed-in users. */
export const createClientTokenRoute = (deps: ClientTokensDeps): Route => ({
  method: 'POST',
  path: '/api/client-tokens',
  access: { permission: 'triggers' },
  limit: 'triggers',
  operation: {
    id: 'createClientToken',
    summary: 'Create a client token',
    description:
      'With a client token, a web page calls one trigger as one end user, without an API key. The token reads the runs and messages of the conversations that it starts, and writes in these conversations. The token ends at `expires_at`, and immediately when its key is revoked. Parley stores no token: create one for each page view and each renewal.',
    tag: 'Client tokens',
    example: {
      agent_id: 'agent_01h455vb4pex5vsknk084sn02q',
      trigger_id: 'trigger_01h455vb4pex5vsknk084sn02q',
      end_user: { external_id: 'crm-42', name: 'Asha' },
      origins: ['https://shop.example'],
      expires_in: 900,
    },
    examples: {
      201: { token: 'parley_client_us_kq3W…', expires_at: '2026-11-20T20:15:00.000Z' },
    },
  },
  body: NewClientToken,
  responses: { 201: ClientToken },
  problems: ['agent_mismatch', 'agent_not_found', 'trigger_not_found'],
  handle: (request) => createClientToken(deps, request.admission, request.body as NewClientToken),
});
