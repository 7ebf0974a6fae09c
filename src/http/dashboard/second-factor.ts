import {
  startAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
  renewRecoveryCodes,
} from '../../features/second-factor/authenticator.ts';
import { addPasskey, removePasskey, renamePasskey, startPasskey } from '../../features/second-factor/passkeys.ts';
import { readSecondFactor } from '../../features/second-factor/read-second-factor.ts';
import type { Route } from '../route/route.ts';
import type { Desk } from './deps.ts';

/** The second factors of the signed-in person. */
export const secondFactorRoutes = ({ route, room }: Desk): Route[] => [
  route('readSecondFactor', ({ caller }) => readSecondFactor(room, caller.user.id)),
  route('startAuthenticator', ({ caller, body, from }) => startAuthenticator(room, caller, body.password, from)),
  route('confirmAuthenticator', ({ caller, body, from }) => confirmAuthenticator(room, caller, body.code, from)),
  route('removeAuthenticator', ({ caller, body, from }) => removeAuthenticator(room, caller, body, from)),
  route('renewRecoveryCodes', ({ caller, body, from }) => renewRecoveryCodes(room, caller, body.password, from)),
  route('startPasskey', ({ caller, body, from }) => startPasskey(room, caller, body.password, from)),
  route('addPasskey', ({ caller, body, from }) => addPasskey(room, caller, body, from)),
  route('renamePasskey', ({ caller, params, body }) => renamePasskey(room, caller, params.passkey_id, body.name)),
  route('removePasskey', ({ caller, params, body, from }) =>
    removePasskey(room, caller, { id: params.passkey_id, password: body.password }, from),
  ),
];
