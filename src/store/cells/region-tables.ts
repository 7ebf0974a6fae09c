/**
 * The tables of the region exist once, in the schema `public`. All other tables are tenant tables and exist in each
 * cell (docs/adr/0501). cells.test.ts compares this list with the catalog.
 */
export const REGION_TABLES: readonly string[] = [
  'user', 'session', 'account', 'verification', 'second_factor', 'recovery_code', 'passkey', // people, who may be members of many organizations
  'organization', 'member', 'invitation', // better-auth's, keyed by ids that are unique in the region
  'installation', 'past_secret', 'running_process', 'cell', 'organization_move', // the installation itself
  'mail', // to people, who may be members of many organizations or of none yet
  'authz_clock', 'authz_change', 'node_lease', // one order of changes for all nodes
  'api_key_digest', 'access_token_digest', 'proven_domain', // these look-ups find the organization
  'used_sign_in', // states of sign-ins in progress
  'sign_in_domain', 'sign_in_provider', 'sign_in_link', 'former_member', // how people sign in
  'access_token', // it lets a program act as a person, who may be a member of many organizations
]; // prettier-ignore
