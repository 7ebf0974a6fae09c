import { useAct, useRead } from '../api/queries.ts';
import { useMaybeOrganization, useSession } from '../session/session.ts';

/** True if the reader has chosen to be away. While a change is saved, the value is the chosen state. */
export function useAway(): { away: boolean; setAway: (away: boolean) => void } {
  const organization = useMaybeOrganization();
  const params = { org_id: organization?.id ?? '' };
  const me = useSession().user.id;
  const enabled = organization !== null && !organization.second_factor_required;
  const members = useRead('listMembers', { params }, { staleTime: 30_000, enabled });
  const set = useAct('setAttendance', { refresh: ['listMembers'] });
  const stored = members.data?.data.find(({ user_id }) => user_id === me)?.away ?? false;
  return {
    away: set.isPending ? (set.variables.body?.away ?? stored) : stored,
    setAway: (away) => set.mutate({ params, body: { away } }),
  };
}
