import { useState } from 'react';
import { useAct } from '../../api/queries.ts';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { useOrganization } from '../../session/session.ts';
import { READ_AGAIN } from './search.ts';

export type ChangePerson = ReturnType<typeof useChangePerson>;

/** Changes one field of a person at a time. */
export function useChangePerson(end_user_id: string) {
  const org_id = useOrganization().id;
  const [field, setField] = useState<string | null>(null);
  const update = useAct('updateEndUser', { refresh: ['readEndUser', 'listEndUsers', ...READ_AGAIN] });
  const problemText = useProblemText(update.error);
  const fault = update.error?.faults[0]?.detail;
  type Body = Parameters<typeof update.mutate>[0]['body'] & object;
  return {
    /** `name`: the field that shows the error. */
    set: (name: string, body: Body): void => {
      setField(name);
      update.mutate({ params: { org_id, end_user_id }, body });
    },
    errorOf: (name: string): string | undefined =>
      update.error && field === name ? (fault ?? (problemText.detail || problemText.title)) : undefined,
  };
}
