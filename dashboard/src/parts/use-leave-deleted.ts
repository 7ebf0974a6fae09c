import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { notifyDone } from './notify.tsx';

/**
 * Opens the list after a deletion. A later Back reads the data again. The hook uses a promise instead of a mutation
 * callback, because the page may already have noticed the deletion.
 */
export function useLeaveDeleted(): (deleted: Promise<unknown>, to: LinkProps['to'], notice: string) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = (to: LinkProps['to'], notice: string): void => {
    notifyDone(notice);
    void client.invalidateQueries({ refetchType: 'none' });
    void navigate({ to });
  };
  return (deleted, to, notice) =>
    void deleted.then(
      () => leave(to, notice),
      // The dialog shows the problem.
      () => {},
    );
}
