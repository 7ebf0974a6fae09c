import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/texts.tsx';
import { NewOrganizationForm } from './new-organization-form.tsx';
import { texts } from './texts.ts';

export function NewOrganizationDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Modal opened={opened} onClose={onClose} title={say('new_organization')}>
      <NewOrganizationForm onClose={onClose} />
    </Modal>
  );
}
