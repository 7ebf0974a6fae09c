import { useNavigate } from '@tanstack/react-router';
import { chooseOrganization } from '../session/session.ts';

/** Opens another organization of the signed-in person. The IDs in the URL belong to the previous one. */
export function useSwitchOrganization(): (id: string) => void {
  const navigate = useNavigate();
  return (id) => {
    chooseOrganization(id);
    void navigate({ to: '/' });
  };
}
