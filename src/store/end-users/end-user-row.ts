import type { Consent } from './suppression.ts';

export type EndUserRow = {
  org_id: string;
  id: string;
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  locale: string | null;
  time_zone: string | null;
  attributes: Record<string, unknown>;
  tags: string[];
  consent: Consent;
  blocked: boolean;
  /** Null for a row that this batch creates. */
  created_at: Date | null;
  updated_at: Date | null;
  last_seen_at: Date | null;
  changed: boolean;
  /** The number of calls of this batch that use the row. */
  uses: number;
};
