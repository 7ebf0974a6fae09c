import {
  startAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
  renewRecoveryCodes,
} from '../../features/second-factor/authenticator.ts';
import { addPasskey, removePasskey, renamePasskey, startPasskey } from '../../features/second-factor/passkeys.ts';
import { readSecondFactor } from '../../features/second-factor/read-second-factor.ts';
import type { SecondFactorDeps } from '../../features/second-factor/second-factor.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for the second factors of the signed-in person. */
export const secondFactorRoutes = ({ route, deps }: RouteDeps<SecondFactorDeps>): Route[] => [
  route('readSecondFactor', ({ caller }) => readSecondFactor(deps, caller.user.id)),
  route('startAuthenticator', ({ caller, body, from }) => startAuthenticator(deps, caller, body.password, from)),
  route('confirmAuthenticator', ({ caller, body, from }) => confirmAuthenticator(deps, caller, body.code, from)),
  route('removeAuthenticator', ({ caller, body, from }) => removeAuthenticator(deps, caller, body, from)),
  route('renewRecoveryCodes', ({ caller, body, from }) => renewRecoveryCodes(deps, caller, body.password, from)),
  route('startPasskey', ({ caller, body, from }) => startPasskey(deps, caller, body.password, from)),
  route('addPasskey', ({ caller, body, from }) => addPasskey(deps, caller, body, from)),
  route('renamePasskey', ({ caller, params, body }) => renamePasskey(deps, caller, params.passkey_id, body.name)),
  route('removePasskey', ({ caller, params, body, from }) =>
    removePasskey(deps, caller, { id: params.passkey_id, password: body.password }, from),
  ),
];
