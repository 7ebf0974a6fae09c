import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, type LinkProps } from '@tanstack/react-router';
import { notifyDone } from './notify.tsx';

/**
 * Once it is deleted, leaves it for the others of its kind; a later Back reads again. A promise and not a callback of
 * the mutation: this page may have noticed by then that its subject is gone.
 */
export function useLeaveDeleted(): (deleted: Promise<unknown>, to: LinkProps['to'], told: string) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = (to: LinkProps['to'], told: string): void => {
    notifyDone(told);
    void client.invalidateQueries({ refetchType: 'none' });
    void navigate({ to });
  };
  return (deleted, to, told) =>
    void deleted.then(
      () => leave(to, told),
      // The dialog shows the problem.
      () => {},
    );
}
