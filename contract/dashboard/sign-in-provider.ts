import { Type, type Static } from 'typebox';
import { closed, Moment, Nullable } from './shapes.ts';

/** The roles that a first sign-in may grant. Only owners can make someone an owner. */
export const JOIN_ROLES = ['admin', 'member', 'viewer'] as const;
const JoinRole = Type.Enum(JOIN_ROLES);

const Issuer = Type.String({
  format: 'uri',
  maxLength: 500,
  description: "The provider's own identifier, in its exact form.",
});
/** A host name in lower case. An internationalized domain (IDN) is in its ASCII form. */
const Domain = Type.String({ minLength: 3, maxLength: 253, description: 'An e-mail domain, such as example.com.' });

export const SignInDomain = Type.Object(
  {
    domain: Type.String(),
    proven_by: Nullable(Type.Enum(['dns', 'operator'])),
    proven_at: Nullable(Moment),
    /** The DNS record that the domain must have. */
    record: Type.Object({ name: Type.String(), type: Type.Literal('TXT'), value: Type.String() }),
    created_at: Moment,
  },
  { title: 'SignInDomain' },
);
export type SignInDomain = Static<typeof SignInDomain>;

/** The client secret is encrypted in the database and never shown again. */
const SignInProvider = Type.Object(
  {
    issuer: Type.String(),
    client_id: Type.String(),
    default_role: JoinRole,
    enabled: Type.Boolean(),
    updated_at: Moment,
  },
  { title: 'SignInProvider' },
);

export const SignInSettings = Type.Object(
  {
    provider: Nullable(SignInProvider),
    domains: Type.Array(SignInDomain),
    /** The redirect URI that the provider must allow. */
    callback_url: Type.String(),
  },
  { title: 'SignInSettings' },
);
export type SignInSettings = Static<typeof SignInSettings>;

/** Absent fields do not change. A new issuer needs a new client ID and client secret. */
export const SetSignInProviderBody = Type.Object(
  {
    issuer: Type.Optional(Issuer),
    client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!-~]+$' })),
    client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, pattern: '^[ -~]+$' })),
    default_role: Type.Optional(JoinRole),
    enabled: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
);
export type SetSignInProviderBody = Static<typeof SetSignInProviderBody>;

export const CheckSignInProviderBody = Type.Object({ issuer: Issuer }, closed);

/** The metadata that the provider publishes. */
export const SignInProviderLook = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  scopes: Type.Array(Type.String()),
});
export type SignInProviderLook = Static<typeof SignInProviderLook>;

export const AddSignInDomainBody = Type.Object({ domain: Domain }, closed);

export const BeginSignInBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254 }),
    /** The page of the dashboard that opens after the sign-in. */
    back: Type.Optional(Type.String({ maxLength: 2000, pattern: '^/' })),
  },
  closed,
);
export type BeginSignInBody = Static<typeof BeginSignInBody>;

/** The URL that the browser opens next. */
export const BegunSignIn = Type.Object({ url: Type.String() });
