import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { NewOrganizationForm } from './new-organization-form.tsx';
import { texts } from './texts.ts';
import { Dialog } from '../parts/dialog.tsx';

export function NewOrganizationDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('new_organization')}>
      <NewOrganizationForm onClose={onClose} />
    </Dialog>
  );
}
