import { Type, type Static } from 'typebox';
import { PLANS, TOKEN_VERBS } from '../permissions.ts';
import { REGION_IDS } from '../regions.ts';
import { closed, Email, Moment, Name, Nullable, Password, RoleName, TimeZone } from './shapes.ts';

const PlanName = Type.Enum(PLANS);

/** Creates the first owner and the first organization. The call works once, with the token of the setup link. */
export const SetupBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200 }),
    name: Name,
    email: Email,
    password: Password,
    organization_name: Name,
    /** The time zone that the browser reports. */
    time_zone: Type.Optional(TimeZone),
  },
  closed,
);
export type SetupBody = Static<typeof SetupBody>;

/** The schema accepts any text, so that the only error is "wrong" and the form of an address reveals nothing. */
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

/** The details that the holder of a password link sees before choosing a password. */
export const PasswordLinkLook = Type.Object({ email: Type.String(), expires_at: Moment });
export type PasswordLinkLook = Static<typeof PasswordLinkLook>;

export const ResetPasswordBody = Type.Object({ password: Password }, closed);

/** Requests a password link by mail. The schema accepts any text, as for a sign-in. */
export const ForgotPasswordBody = Type.Object({ email: Type.String({ minLength: 1, maxLength: 254 }) }, closed);

/** The options of the sign-in page. */
export const SignInOptions = Type.Object({
  /** True: a forgotten password can be reset by mail. */
  mail: Type.Boolean(),
});
export type SignInOptions = Static<typeof SignInOptions>;

/** The signed-in person, their organizations and their permissions. */
export const SessionView = Type.Object(
  {
    user: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String(), email_verified: Type.Boolean() }),
    /** True for the operator of the installation, who alone changes plans. */
    operator: Type.Boolean(),
    /**
     * The organization whose provider opened this session. The session has no access to other organizations. Null: the
     * person signed in to their own account.
     */
    only_organization: Nullable(Type.String()),
    organizations: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        plan: PlanName,
        role: RoleName,
        time_zone: Nullable(Type.String()),
        /** True: after a resolve or a snooze, the inbox opens the next conversation for this member. */
        opens_next: Type.Boolean(),
        /**
         * True: the organization requires a second factor, and this session has no second factor. Until the session has
         * a second factor, all other requests for the organization are refused.
         */
        second_factor_required: Type.Boolean(),
      }),
    ),
    /** The access token that made the request. Null: a person is signed in. */
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
    /** The URL that "Upgrade plan" opens. Null: the dashboard opens Settings, Plan. */
    upgrade_url: Nullable(Type.String()),
    /** True if the installation sends mail. */
    mail: Type.Boolean(),
    /**
     * The time since which sending is paused after a restore. Null: sending is not paused. The command `./parley
     * resume` ends the pause.
     */
    paused_since: Nullable(Moment),
  },
  { title: 'SessionView' },
);
export type SessionView = Static<typeof SessionView>;

/** One session of the signed-in person. */
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
