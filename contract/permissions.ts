/** The permissions of a key, one for each family of endpoints. */
export const PERMISSIONS = ['triggers', 'channels', 'end_users', 'campaigns'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const KEY_SCOPES = ['organization', 'agent', 'campaign'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

/** The roles of members in the dashboard. Each role includes the rights of the later roles. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The verbs of an access token (contract/dashboard/token-routes.ts). The verb `push` changes only drafts. The verb
 * `publish` changes the parts that end users see.
 */
export const TOKEN_VERBS = ['read', 'test', 'push', 'publish'] as const;
export type TokenVerb = (typeof TOKEN_VERBS)[number];
/** A token of a person has that person's current rights, and a token of the organization has a separate role. */
export const TOKEN_KINDS = ['person', 'organization'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];
/** No route that accepts a token requires a role above member. */
export const TOKEN_ROLES = ['member', 'viewer'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];
