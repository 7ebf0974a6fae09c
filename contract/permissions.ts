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

/**
 * What an access token may do (contract/dashboard/token-routes.ts). `push` changes drafts alone; `publish` changes what
 * people meet.
 */
export const TOKEN_VERBS = ['read', 'test', 'push', 'publish'] as const;
export type TokenVerb = (typeof TOKEN_VERBS)[number];
/** Of a person, with the rights that the person has now; or of the organization, with a role of its own. */
export const TOKEN_KINDS = ['person', 'organization'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];
/** No route that takes a token needs more than the role member. */
export const TOKEN_ROLES = ['member', 'viewer'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];
