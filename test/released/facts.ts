/**
 * The content of a released version's backup, and the data for using it. The backup's secrets are worthless, because no
 * server uses them.
 */
export type Facts = {
  version: string;
  secret: string;
  owner: { email: string; password: string };
  /** The header with a key of the organization. */
  authorization: string;
  /** The path of a trigger. */
  trigger: string;
  org_id: string;
  /** The SHA-256 of each migration of this version: scripts/check-migrations.ts. */
  migrations: Record<string, string>;
  /** The tables that have rows. */
  rows: Record<string, number>;
};
