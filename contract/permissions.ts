/** What a key may do, one word for each family of endpoints. */
export const PERMISSIONS = ['triggers', 'channels', 'end_users', 'campaigns'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const KEY_SCOPES = ['organization', 'agent', 'campaign'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

/** What a member of an organization may do in the dashboard; each role can do all that the later ones can. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];
