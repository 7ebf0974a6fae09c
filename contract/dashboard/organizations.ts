import { Type, type Static } from 'typebox';
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../limits.ts';
import { PLANS } from '../permissions.ts';
import { closed, Email, Moment, Name, Nullable, Password, RoleName } from './shapes.ts';

const PlanName = Type.Enum(PLANS);

export const OrganizationRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    plan: PlanName,
    /** Null where the operator lists an organization of others. */
    role: Nullable(RoleName),
    /** Members reach it by sessions with a second factor alone. */
    requires_second_factor: Type.Boolean(),
    created_at: Moment,
    /** The link for the owner-to-be, when the operator created the organization for another person and no mail server is set. */
    invitation_url: Type.Optional(Type.String()),
  },
  { title: 'Organization' },
);
export type OrganizationRecord = Static<typeof OrganizationRecord>;

export const CreateOrganizationBody = Type.Object(
  {
    name: Name,
    /** Only the operator may say it; others start on `free`. */
    plan: Type.Optional(PlanName),
    owner_email: Type.Optional(
      Type.String({ format: 'email', maxLength: 254, description: 'Operator only: who is invited as its owner.' }),
    ),
  },
  closed,
);
export type CreateOrganizationBody = Static<typeof CreateOrganizationBody>;

export const RenameOrganizationBody = Type.Object({ name: Name }, closed);
export const SetPlanBody = Type.Object({ plan: PlanName }, closed);
export const SetPlanAnswer = Type.Object({
  id: Type.String(),
  plan: PlanName,
  /** From this moment every node decides by the new plan. */
  effective_at: Moment,
});

export const MemberRecord = Type.Object(
  {
    id: Type.String(),
    user_id: Type.String(),
    name: Type.String(),
    email: Type.String(),
    role: RoleName,
    /** Whether the account has a second factor. Null: only owners and admins see it. */
    second_factor: Nullable(Type.Boolean()),
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
    /** True: the link left by mail; false: it was handed over. */
    mailed: Type.Boolean(),
    created_at: Moment,
    expires_at: Moment,
  },
  { title: 'Invitation' },
);
export type InvitationRecord = Static<typeof InvitationRecord>;

/** The answer that makes or renews a link: the only one that shows it. */
export const NewInvitation = Type.Object(
  {
    ...InvitationRecord.properties,
    /** Null: it was mailed to the address and is not shown to anyone else. */
    url: Nullable(Type.String()),
  },
  { title: 'NewInvitation' },
);
export type NewInvitation = Static<typeof NewInvitation>;

/** What the holder of an invitation link sees before accepting; the same whether or not the address has an account. */
export const InvitationLook = Type.Object({
  organization: Type.String(),
  email: Type.String(),
  role: RoleName,
  /** False: this link makes no account; join with one that exists. */
  new_accounts: Type.Boolean(),
  expires_at: Moment,
});
export type InvitationLook = Static<typeof InvitationLook>;

export const AcceptInvitationBody = Type.Object({ name: Name, password: Password }, closed);

const RetentionDays = Type.Integer({ minimum: MIN_RETENTION_DAYS, maximum: MAX_RETENTION_DAYS });

/** How long conversations are kept; null: for good. */
export const RetentionRecord = Type.Object(
  {
    days: Nullable(Type.Integer()),
    /** When the housekeeper last went through all of them. */
    swept_at: Nullable(Moment),
  },
  { title: 'Retention' },
);
export type RetentionRecord = Static<typeof RetentionRecord>;

export const SetRetentionBody = Type.Object({ days: Nullable(RetentionDays) }, closed);
export type SetRetentionBody = Static<typeof SetRetentionBody>;

export const RetentionPreviewQuery = Type.Object({ days: RetentionDays }, closed);

/** Conversations that would be erased; `more`: at least so many. */
export const RetentionPreview = Type.Object({ conversations: Type.Integer(), more: Type.Boolean() });
export type RetentionPreview = Static<typeof RetentionPreview>;
