import { useState } from 'react';
import type { CountAudienceBody, CountedAudience } from '../../../../../contract/dashboard/campaigns.ts';
import { call, type Problem } from '../../../api/client.ts';

export type Sum = Omit<CountedAudience, 'next'>;
const NONE: Sum = { accepted: 0, duplicates: 0, opted_out: 0, blocked: 0, invalid: 0 };
type Filters = CountAudienceBody['filters'];

export type AudienceCount = { sum: Sum; done: boolean; problem: Problem | null };

/** Counts page by page in the browser. The server adds the people. */
export function useAudienceCount(org_id: string, campaign_id: string) {
  const [run, setRun] = useState<AudienceCount | null>(null);
  const start = async (filters: Filters): Promise<void> => {
    let sum = NONE;
    let after: string | undefined;
    setRun({ sum, done: false, problem: null });
    try {
      do {
        const body = { filters, ...(after !== undefined && { after }) };
        const { next, ...page } = await call('countAudience', { params: { org_id, campaign_id }, body });
        sum = added(sum, page);
        after = next ?? undefined;
        setRun({ sum, done: after === undefined, problem: null });
      } while (after !== undefined);
    } catch (error) {
      setRun({ sum, done: true, problem: error as Problem });
    }
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
