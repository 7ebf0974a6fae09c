import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SuiteRecord, TestCase } from '../../../../contract/dashboard/test-cases.ts';
import { call, type Problem } from '../../api/client.ts';
import { refetch } from '../../api/queries.ts';

type Change = {
  /** Returns the new tests. Absent: no change. */
  cases?: (newest: TestCase[]) => TestCase[];
  required?: boolean;
};

/**
 * Changes the tests of an agent. A request replaces all tests, so the change applies to the newest ones, which another
 * member may have changed.
 */
export function useChangeSuite(params: { org_id: string; agent_id: string }) {
  const client = useQueryClient();
  return useMutation<SuiteRecord, Problem, Change>({
    mutationFn: async ({ cases = (newest) => newest, ...rest }) => {
      const newest = await call('readSuite', { params });
      return call('setSuite', { params, body: { cases: cases(newest.cases), ...rest } });
    },
    onSuccess: () => refetch(client, ['readSuite']),
  });
}
