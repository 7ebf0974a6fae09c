import { Type, type Static } from 'typebox';
import { closed, Moment, Name, Nullable } from './shapes.ts';

/** The password is correct, but the account has a second factor. The person has no session yet. */
export const SecondFactorAsked = Type.Object(
  {
    /**
     * The next request sends this challenge with the code, within five minutes. The challenge alone gives no access.
     */
    challenge: Type.String(),
    expires_at: Moment,
    /** The kinds of second factors of the account. A recovery code is always accepted. */
    authenticator: Type.Boolean(),
    passkey: Type.Boolean(),
  },
  { title: 'SecondFactorAsked' },
);
export type SecondFactorAsked = Static<typeof SecondFactorAsked>;

/** The code has six digits of the authenticator app, or is a recovery code. */
const Code = Type.String({ minLength: 1, maxLength: 64 });
/**
 * The password is required again, so that an open browser is not enough. The password is absent if the account has no
 * password, or if the person has just signed in.
 */
const Again = Type.Optional(Type.String({ minLength: 1, maxLength: 1024 }));

export const CodeBody = Type.Object({ challenge: Type.String({ minLength: 1, maxLength: 300 }), code: Code }, closed);
export const PasswordAgainBody = Type.Object({ password: Again }, closed);
export const FirstCodeBody = Type.Object({ code: Code }, closed);
export const PasswordAndCodeBody = Type.Object({ password: Again, code: Code }, closed);

export const NewAuthenticator = Type.Object(
  {
    /** The secret in base 32, for an app that cannot read the QR code. */
    secret: Type.String(),
    /** The content of the QR code, as `otpauth://…`. */
    uri: Type.String(),
  },
  { title: 'NewAuthenticator' },
);

export const RecoveryCodes = Type.Object(
  {
    /** Only this response contains the codes. */
    recovery_codes: Type.Array(Type.String()),
  },
  { title: 'RecoveryCodes' },
);

export const PasskeyRecord = Type.Object(
  { id: Type.String(), name: Type.String(), created_at: Moment, last_used_at: Nullable(Moment) },
  { title: 'Passkey' },
);
export type PasskeyRecord = Static<typeof PasskeyRecord>;

export const NewPasskey = Type.Object(
  {
    passkey: PasskeyRecord,
    /** The codes are present only in the response for the first factor of an account, and otherwise null. */
    recovery_codes: Nullable(Type.Array(Type.String())),
  },
  { title: 'NewPasskey' },
);

/** The second factors of the signed-in person. */
export const SecondFactorView = Type.Object(
  {
    authenticator: Nullable(Type.Object({ confirmed_at: Moment })),
    passkeys: Type.Array(PasskeyRecord),
    recovery_codes_left: Type.Integer(),
    /**
     * The host name that is valid for passkeys. Null if the installation has no address that browsers accept for
     * passkeys.
     */
    passkeys_at: Nullable(Type.String()),
  },
  { title: 'SecondFactor' },
);
export type SecondFactorView = Static<typeof SecondFactorView>;

const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

/** The result of `navigator.credentials.create()`, in base64url. */
export const PasskeyAttestation = Type.Object(
  {
    id: Base64Url(1400),
    client_data: Base64Url(4000),
    attestation: Base64Url(20_000),
    transports: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 8 }),
  },
  closed,
);
export type PasskeyAttestation = Static<typeof PasskeyAttestation>;

export const AddPasskeyBody = Type.Object({ name: Name, credential: PasskeyAttestation }, closed);
export const RenamePasskeyBody = Type.Object({ name: Name }, closed);

/** The result of `navigator.credentials.get()`, in base64url. */
export const PasskeyAssertion = Type.Object(
  {
    id: Base64Url(1400),
    client_data: Base64Url(4000),
    authenticator_data: Base64Url(4000),
    signature: Base64Url(2000),
  },
  closed,
);
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;

/** WebAuthn options for the browser (PublicKeyCredential.parse…OptionsFromJSON). */
export const PasskeyOptions = Type.Record(Type.String(), Type.Unknown());

export const RequireSecondFactorBody = Type.Object({ required: Type.Boolean() }, closed);
