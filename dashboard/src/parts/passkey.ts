import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type { PasskeyAssertion, PasskeyAttestation } from '../../../contract/dashboard/second-factor.ts';

/**
 * This file is the browser's part of passkeys. If the person cancels or the device does not support passkeys, the
 * browser throws an error.
 */
export const hasPasskeys = (): boolean => browserSupportsWebAuthn() && !BARE_ADDRESS.test(location.hostname);
/** Browsers support passkeys only for host names. */
const BARE_ADDRESS = /^[\d.]+$|^\[/;

/** True if the device refused to create a second passkey for the same account. */
export const isOnDevice = (error: unknown): boolean => error instanceof Error && error.name === 'InvalidStateError';

/** The options come from Parley's server, in the format that browsers define. */
type Options = Record<string, unknown>;

export async function showPasskey(options: Options): Promise<PasskeyAssertion> {
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const { id, response } = await startAuthentication({ optionsJSON });
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
  };
}

export async function makePasskey(options: Options): Promise<PasskeyAttestation> {
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const { id, response } = await startRegistration({ optionsJSON });
  return {
    id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    transports: response.transports ?? [],
  };
}
