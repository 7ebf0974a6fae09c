import { useState } from 'react';
import type { AddAudienceBody, AddedAudience } from '../../../../../contract/dashboard/campaigns.ts';
import { call, type Problem } from '../../../api/client.ts';
import { queryClient, readAnew } from '../../../api/queries.ts';
import { READ_AGAIN } from '../search.ts';

export type Sum = Omit<AddedAudience, 'next'>;
const NONE: Sum = { accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };
type Filters = AddAudienceBody['filters'];

export type AudienceRun = { what: 'count' | 'add'; sum: Sum; done: boolean; problem: Problem | null };

/** Counts or adds page after page. An addition that stops half-way is started again: no one is added twice. */
export function useAudience(org_id: string, campaign_id: string) {
  const [run, setRun] = useState<AudienceRun | null>(null);
  const start = async (what: AudienceRun['what'], filters: Filters): Promise<void> => {
    let sum = NONE;
    let after: string | undefined;
    setRun({ what, sum, done: false, problem: null });
    try {
      do {
        const body = { filters, ...(after !== undefined && { after }), ...(what === 'count' && { dry_run: true }) };
        const { next, ...page } = await call('addAudience', { params: { org_id, campaign_id }, body });
        sum = added(sum, page);
        after = next ?? undefined;
        setRun({ what, sum, done: after === undefined, problem: null });
      } while (after !== undefined);
    } catch (error) {
      setRun({ what, sum, done: true, problem: error as Problem });
    }
    if (what === 'add') await readAnew(queryClient, READ_AGAIN);
  };
  return { run, start, forget: () => setRun(null) };
}

const added = (one: Sum, other: Sum): Sum => ({
  accepted: one.accepted + other.accepted,
  duplicates: one.duplicates + other.duplicates,
  opted_out: one.opted_out + other.opted_out,
  blocked: one.blocked + other.blocked,
  invalid: one.invalid + other.invalid,
});
