import { EndUser, SetConsent } from '../../../../contract/end-users.ts';
import { setConsent } from '../../../features/end-users/set-consent.ts';
import type { Route } from '../../route/route.ts';
import { ACCESS, callerOf, endUserIdOf, type EndUserRoutesDeps, TAG } from './end-user-access.ts';
import { exampleEndUser } from './examples.ts';

export const setConsentRoute = (deps: EndUserRoutesDeps): Route => ({
  method: 'PUT',
  path: '/api/end-users/:end_user_id/consent/:channel_kind',
  ...ACCESS,
  operation: {
    id: 'setConsent',
    summary: 'Record the consent of a person for a kind of channel',
    description:
      'A person who has opted out is not messaged on this kind of channel: trigger runs are `skipped`, messages refused, campaign recipients `suppressed`. `channel_kind` is `sandbox`, `web_chat`, `webhook`, `email`, `sms`, `whatsapp`, `telegram` or `slack`. Recording the same consent again changes nothing.',
    tag: TAG,
    example: { status: 'opted_out', source: 'preference page' },
    examples: { 200: exampleEndUser },
  },
  body: SetConsent,
  responses: { 200: EndUser },
  problems: ['end_user_not_found'],
  handle(request) {
    const { channel_kind: kind } = request.params as { channel_kind: string };
    return setConsent(deps, callerOf(request), endUserIdOf(request), kind, request.body as SetConsent);
  },
});
