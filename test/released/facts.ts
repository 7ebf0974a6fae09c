/**
 * The content of a released version's backup, with the data that a test needs to use it. The backup's secrets are
 * worthless, because no server uses them.
 */
export type Facts = {
  version: string;
  secret: string;
  owner: { email: string; password: string };
  /** The header has a key of the organization. */
  authorization: string;
  /** The path of a trigger. */
  trigger: string;
  org_id: string;
  /** The SHA-256 of each migration of this version, which scripts/check-migrations.ts compares. */
  migrations: Record<string, string>;
  /** The tables that have rows. */
  rows: Record<string, number>;
};
