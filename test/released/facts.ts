/** What a released version's backup holds, and how to use it. Its secrets are worth nothing: no server has them. */
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
  /** Tables with rows. */
  rows: Record<string, number>;
};
