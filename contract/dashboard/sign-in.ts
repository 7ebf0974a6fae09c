import { Type, type Static } from 'typebox';
import { PLANS, TOKEN_VERBS } from '../permissions.ts';
import { REGION_IDS } from '../regions.ts';
import { closed, Email, Moment, Name, Nullable, Password, RoleName } from './shapes.ts';

const PlanName = Type.Enum(PLANS);

/** Makes the first owner and the first organization; works once, with the token of the setup link. */
export const SetupBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200 }),
    name: Name,
    email: Email,
    password: Password,
    organization_name: Name,
  },
  closed,
);
export type SetupBody = Static<typeof SetupBody>;

/** Any text is let through to the one answer "wrong", so that the form of an address tells nothing. */
export const SignInBody = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 1024 }),
  },
  closed,
);
export type SignInBody = Static<typeof SignInBody>;

export const PasswordBody = Type.Object(
  { current_password: Type.String({ minLength: 1, maxLength: 1024 }), new_password: Password },
  closed,
);
export type PasswordBody = Static<typeof PasswordBody>;

/** What the holder of a password link sees before choosing a password. */
export const PasswordLinkLook = Type.Object({ email: Type.String(), expires_at: Moment });
export type PasswordLinkLook = Static<typeof PasswordLinkLook>;

export const ResetPasswordBody = Type.Object({ password: Password }, closed);

/** Asks for a password link by mail. Any text is let through, as with signing in. */
export const ForgotPasswordBody = Type.Object({ email: Type.String({ minLength: 1, maxLength: 254 }) }, closed);

/** What the page of signing in offers. */
export const SignInOptions = Type.Object({
  /** True: a forgotten password can be reset by mail. */
  mail: Type.Boolean(),
});
export type SignInOptions = Static<typeof SignInOptions>;

/** Who is signed in, where, and what they may see. */
export const SessionView = Type.Object(
  {
    user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), email_verified: Type.Boolean() }),
    /** True for the operator of the installation: the only one who changes plans. */
    operator: Type.Boolean(),
    /** The organization whose provider opened this session: it reaches no other. Null: signed in as oneself. */
    only_organization: Nullable(Type.String()),
    organizations: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        plan: PlanName,
        role: RoleName,
        /** True: it asks for a second factor, which this session has not shown; all else there is refused. */
        second_factor_required: Type.Boolean(),
      }),
    ),
    /** The access token that called; null: a person is signed in. */
    token: Nullable(
      Type.Object({
        id: Type.String(),
        label: Type.String(),
        verbs: Type.Array(Type.Enum(TOKEN_VERBS)),
        agent_ids: Nullable(Type.Array(Type.String())),
        expires_at: Nullable(Moment),
      }),
    ),
    region: Type.Enum(REGION_IDS),
    base_url: Type.String(),
    /** Where "Upgrade plan" leads; null: Settings, Plan. */
    upgrade_url: Nullable(Type.String()),
    /** True: this installation sends mail. */
    mail: Type.Boolean(),
    /** Since when nothing is sent, after a restore; null: not paused. `./parley resume` ends the pause. */
    paused_since: Nullable(Moment),
  },
  { title: 'SessionView' },
);
export type SessionView = Static<typeof SessionView>;

/** A place where this person is signed in. */
export const SessionRecord = Type.Object(
  {
    id: Type.String(),
    current: Type.Boolean(),
    address: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    created_at: Moment,
    last_seen_at: Moment,
    expires_at: Moment,
  },
  { title: 'SessionRecord' },
);
export type SessionRecord = Static<typeof SessionRecord>;
