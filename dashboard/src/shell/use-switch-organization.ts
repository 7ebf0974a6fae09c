import { useNavigate } from '@tanstack/react-router';
import { chooseOrganization } from '../session/session.ts';

/**
 * Opens another organization of the signed-in person, without the URL, whose IDs belong to the previous organization.
 */
export function useSwitchOrganization(): (id: string) => void {
  const navigate = useNavigate();
  return (id) => {
    chooseOrganization(id);
    void navigate({ to: '/' });
  };
}
