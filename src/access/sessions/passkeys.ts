import { createHmac, randomBytes } from 'node:crypto';
import type { PasskeyAssertion, PasskeyAttestation } from '../../../contract/dashboard/second-factor.ts';
import { Refusal } from '../../../contract/problems.ts';
import { isSigned, type Key } from '../../kernel/seal.ts';
import type { Person } from '../../store/accounts/accounts.ts';
import type { StoredPasskey } from '../../store/accounts/passkeys.ts';

/**
 * Passkeys (WebAuthn): a key pair in the device, for this site only, unlocked by fingerprint, face or PIN. A passkey
 * proves both possession and a second factor, so it counts as two factors. The server requires and checks user
 * verification. A challenge contains its time, its purpose and Parley's signature, so no table stores challenges.
 */
export const CHALLENGE_MINUTES = 5;
const CHALLENGE_MS = CHALLENGE_MINUTES * 60_000;

/**
 * The site of passkeys is the configured address. Browsers do not support passkeys for a plain IP address, so this
 * machine uses `localhost`.
 */
export type PasskeySite = { rpId: string; origin: string };

export function passkeySite(baseUrl: string): PasskeySite | null {
  const url = new URL(baseUrl);
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (isLocal) url.hostname = 'localhost';
  else if (/^[\d.]+$|^\[/.test(url.hostname)) return null;
  return { rpId: url.hostname, origin: url.origin };
}

export type Registered = Pick<StoredPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;
type Purpose = `add ${string}` | 'sign in';

export function createPasskeys({ key, baseUrl }: { key: Key; baseUrl: string }) {
  const site = passkeySite(baseUrl);
  const challenges = createChallenges(key);

  function siteOrRefuse(): PasskeySite {
    if (site === null) throw refused('Passkeys need a host name: the base URL of this installation has none.');
    return site;
  }

  return {
    at: site?.origin ?? null,

    async addingOptions(user: Person, known: readonly StoredPasskey[]) {
      const { rpId } = siteOrRefuse();
      const { generateRegistrationOptions } = await webAuthn();
      return generateRegistrationOptions({
        rpName: 'Parley',
        rpID: rpId,
        userName: user.email,
        userDisplayName: user.name,
        userID: new Uint8Array(Buffer.from(user.id)),
        challenge: challenges.create(`add ${user.id}`),
        excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        timeout: CHALLENGE_MS,
      });
    },

    /** Accepts a new key only from this person's browser, in response to the challenge for this person. */
    async checkAttestation(user: Person, sent: PasskeyAttestation): Promise<Registered> {
      const { rpId, origin } = siteOrRefuse();
      const { verifyRegistrationResponse } = await webAuthn();
      const checked = await verifyRegistrationResponse({
        response: credentialOf(sent, { clientDataJSON: sent.client_data, attestationObject: sent.attestation }),
        expectedChallenge: (challenge) => challenges.read(challenge, `add ${user.id}`) !== null,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
      }).catch(unreadable);
      if (!checked.verified) throw refused();
      const { id, publicKey, counter } = checked.registrationInfo.credential;
      return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports: sent.transports };
    },

    async signInOptions() {
      const { rpId } = siteOrRefuse();
      const challenge = challenges.create('sign in');
      const { generateAuthenticationOptions } = await webAuthn();
      return generateAuthenticationOptions({
        rpID: rpId,
        challenge,
        userVerification: 'required',
        timeout: CHALLENGE_MS,
      });
    },

    /** Returns the values for `usePasskey`, which are the time of the challenge and the device's use counter. */
    async checkAssertion(
      known: StoredPasskey,
      sent: PasskeyAssertion,
    ): Promise<{ challengedAt: Date; counter: number }> {
      const { rpId, origin } = siteOrRefuse();
      let challengedAt: Date | null = null;
      const { verifyAuthenticationResponse } = await webAuthn();
      const checked = await verifyAuthenticationResponse({
        response: credentialOf(sent, {
          clientDataJSON: sent.client_data,
          authenticatorData: sent.authenticator_data,
          signature: sent.signature,
        }),
        expectedChallenge: (challenge) => {
          challengedAt = challenges.read(challenge, 'sign in');
          return challengedAt !== null;
        },
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: { id: known.credentialId, publicKey: new Uint8Array(known.publicKey), counter: known.counter },
      }).catch(unreadable);
      if (!checked.verified || challengedAt === null) throw refused();
      return { challengedAt, counter: checked.authenticationInfo.newCounter };
    },
  };
}

export type Passkeys = ReturnType<typeof createPasskeys>;

/** The data that the browser sent, in the format of the standard. */
const credentialOf = <Response>({ id }: { id: string }, response: Response) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  clientExtensionResults: {},
  response,
});

const RANDOM_BYTES = 16;

function createChallenges(key: Key) {
  return {
    create: (purpose: Purpose): Uint8Array<ArrayBuffer> => {
      const head = Buffer.alloc(8 + RANDOM_BYTES);
      head.writeBigUInt64BE(BigInt(Date.now()));
      randomBytes(RANDOM_BYTES).copy(head, 8);
      return new Uint8Array(Buffer.concat([head, sign(key, head, purpose)]));
    },
    /**
     * Returns the time at which the challenge was created. Null: the challenge is not from Parley, has another purpose,
     * or is too old.
     */
    read: (challenge: string, purpose: Purpose): Date | null => {
      const bytes = Buffer.from(challenge, 'base64url');
      const head = bytes.subarray(0, 8 + RANDOM_BYTES);
      const given = bytes.subarray(8 + RANDOM_BYTES);
      if (!isSigned(key, given, (one) => sign(one, head, purpose))) return null;
      const at = Number(head.readBigUInt64BE());
      return Date.now() - at <= CHALLENGE_MS ? new Date(at) : null;
    },
  };
}

/** The first passkey loads the library, because many nodes never need it. */
const webAuthn = () => import('@simplewebauthn/server');

const refused = (detail?: string, cause?: unknown): Refusal => new Refusal('passkey_refused', detail, { cause });

/** The library throws for any invalid input from a stranger, so its errors are no faults of the server. */
function unreadable(error: unknown): never {
  throw refused(undefined, error);
}

const sign = (one: Buffer, head: Buffer, purpose: Purpose): Buffer =>
  createHmac('sha256', one).update(`passkey ${purpose} `).update(head).digest();
