import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { notifyDone } from './notify.tsx';

/** Leaves what was deleted for the others of its kind; whoever comes back by the browser's Back reads anew. */
export function useLeaveDeleted(): (to: LinkProps['to'], told: string) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (to, told) => {
    notifyDone(told);
    void client.invalidateQueries({ refetchType: 'none' });
    void navigate({ to });
  };
}
