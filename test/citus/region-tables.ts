/** Tables that belong to the region, not to a tenant, with the reason (docs/adr/0002). All others are in a cell. */
export const REGION_TABLES: readonly string[] = [
  'user', 'session', 'account', 'verification', 'second_factor', 'recovery_code', 'passkey', // people, who may be members of many organizations
  'organization', 'member', 'invitation', // better-auth's, keyed by ids that are unique in the region
  'installation', 'past_secret', 'running_process', // the installation itself
  'mail', // to people, who may be members of many organizations or of none yet
  'authz_clock', 'authz_change', 'node_lease', // one order of changes for all nodes
  'api_key_digest', 'access_token_digest', 'proven_domain', // these look-ups find the organization
  'used_sign_in', // states of sign-ins in progress
]; // prettier-ignore
