import { Type, type Static } from 'typebox';
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../limits.ts';
import { PLANS } from '../permissions.ts';
import { closed, Email, Moment, Name, Nullable, Password, RoleName, TimeZone } from './shapes.ts';

const PlanName = Type.Enum(PLANS);

export const OrganizationRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    plan: PlanName,
    /** The role of the reader in the organization. Null: the operator sees an organization without being a member. */
    role: Nullable(RoleName),
    /** True: members need a session with a second factor. */
    requires_second_factor: Type.Boolean(),
    /** The time zone of the team, with which new working hours and campaigns start. Null: the time zone is unknown. */
    time_zone: Nullable(Type.String()),
    created_at: Moment,
    /**
     * The part of the database that contains the organization's data, and the load of this part. Only the operator gets
     * this field, if the database has several parts.
     */
    cell: Type.Optional(Type.Object({ name: Type.String(), organizations: Type.Integer(), bytes: Type.Integer() })),
    /**
     * The link for the invited owner. The link is present if the operator created the organization for another person
     * and no mail server is configured.
     */
    invitation_url: Type.Optional(Type.String()),
  },
  { title: 'Organization' },
);
export type OrganizationRecord = Static<typeof OrganizationRecord>;

export const CreateOrganizationBody = Type.Object(
  {
    name: Name,
    /** Only the operator may set the plan. Other people create organizations on the plan `free`. */
    plan: Type.Optional(PlanName),
    owner_email: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 254,
        description: 'Operator only: the address of the person who is invited as owner.',
      }),
    ),
    time_zone: Type.Optional(TimeZone),
  },
  closed,
);
export type CreateOrganizationBody = Static<typeof CreateOrganizationBody>;

export const UpdateOrganizationBody = Type.Object(
  { name: Type.Optional(Name), time_zone: Type.Optional(TimeZone) },
  { ...closed, minProperties: 1 },
);
export type UpdateOrganizationBody = Static<typeof UpdateOrganizationBody>;
export const SetPlanBody = Type.Object({ plan: PlanName }, closed);
export const SetPlanAnswer = Type.Object({
  id: Type.String(),
  plan: PlanName,
  /** The time at which every node applies the new plan. */
  effective_at: Moment,
});

export const MemberRecord = Type.Object(
  {
    id: Type.String(),
    user_id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    role: RoleName,
    /** True: the account has a second factor. Null: the value is hidden, because only owners and admins see it. */
    second_factor: Nullable(Type.Boolean()),
    /** True: the member has chosen to be away and gets no hand-offs. */
    away: Type.Boolean(),
    created_at: Moment,
  },
  { title: 'Member' },
);
export type MemberRecord = Static<typeof MemberRecord>;

export const SetRoleBody = Type.Object({ role: RoleName }, closed);
export const InviteBody = Type.Object({ email: Email, role: RoleName }, closed);

export const InvitationRecord = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: RoleName,
    /** True: the link was sent by mail. False: a member passes the link on to the person. */
    mailed: Type.Boolean(),
    created_at: Moment,
    expires_at: Moment,
  },
  { title: 'Invitation' },
);
export type InvitationRecord = Static<typeof InvitationRecord>;

/** Only the response that creates or renews a link contains the link. */
export const NewInvitation = Type.Object(
  {
    ...InvitationRecord.properties,
    /** Null: the link was mailed, and no one else may see it. */
    url: Nullable(Type.String()),
  },
  { title: 'NewInvitation' },
);
export type NewInvitation = Static<typeof NewInvitation>;

/**
 * The details that the holder of an invitation link sees before accepting. The fields do not reveal whether the address
 * has an account.
 */
export const InvitationLook = Type.Object({
  organization: Type.String(),
  email: Type.String(),
  role: RoleName,
  /**
   * False if the link cannot create an account. The holder of a link that cannot create an account must join with an
   * existing account.
   */
  new_accounts: Type.Boolean(),
  expires_at: Moment,
});
export type InvitationLook = Static<typeof InvitationLook>;

export const AcceptInvitationBody = Type.Object({ name: Name, password: Password }, closed);

const RetentionDays = Type.Integer({ minimum: MIN_RETENTION_DAYS, maximum: MAX_RETENTION_DAYS });

/** The retention period of conversations. Null: conversations are stored without limit. */
export const RetentionRecord = Type.Object(
  {
    days: Nullable(Type.Integer()),
    /** The time at which the last complete cleanup finished. */
    swept_at: Nullable(Moment),
  },
  { title: 'Retention' },
);
export type RetentionRecord = Static<typeof RetentionRecord>;

export const SetRetentionBody = Type.Object({ days: Nullable(RetentionDays) }, closed);
export type SetRetentionBody = Static<typeof SetRetentionBody>;

export const RetentionPreviewQuery = Type.Object({ days: RetentionDays }, closed);

/**
 * The number of conversations that the retention period would erase. The field `more` is true if more conversations
 * would be erased than this number.
 */
export const RetentionPreview = Type.Object({ conversations: Type.Integer(), more: Type.Boolean() });
export type RetentionPreview = Static<typeof RetentionPreview>;
