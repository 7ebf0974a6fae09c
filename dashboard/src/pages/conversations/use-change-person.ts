import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import type { BodyOf } from '../../../../contract/dashboard/routes.ts';
import { call, type Problem } from '../../api/client.ts';
import { refetch } from '../../api/queries.ts';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { READ_AGAIN } from './search.ts';

export type ChangePerson = ReturnType<typeof useChangePerson>;

type Body = BodyOf<'updateEndUser'> & object;
/** A list is replaced as a whole, so its change applies to the newest list, which another member may have changed. */
type Change = Body | ((newest: EndUserRecord) => Body);

/** Changes one field of a person at a time. */
export function useChangePerson(end_user_id: string) {
  const params = { org_id: useOrganization().id, end_user_id };
  const client = useQueryClient();
  const [field, setField] = useState<string | null>(null);
  const update = useMutation<EndUserRecord, Problem, Change>({
    // A change starts after the previous one has ended, so that it applies to its result.
    scope: { id: end_user_id },
    mutationFn: async (change) => {
      const body = typeof change === 'function' ? change(await call('readEndUser', { params })) : change;
      return call('updateEndUser', { params, body });
    },
    onSuccess: () => refetch(client, ['readEndUser', 'listEndUsers', ...READ_AGAIN]),
  });
  const problemText = useProblemText(update.error);
  const fault = update.error?.faults[0]?.detail;
  return {
    /** `name`: the field that shows the error. */
    set: (name: string, change: Change): void => {
      setField(name);
      update.mutate(change);
    },
    isPending: update.isPending,
    errorOf: (name: string): string | undefined =>
      update.error && field === name ? (fault ?? (problemText.detail || problemText.title)) : undefined,
  };
}
