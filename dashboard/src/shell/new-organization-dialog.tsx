import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.tsx';
import { NewOrganizationForm } from './new-organization-form.tsx';
import { words } from './words.ts';

export function NewOrganizationDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  return (
    <Modal opened={opened} onClose={onClose} title={say('new_organization')}>
      <NewOrganizationForm onClose={onClose} />
    </Modal>
  );
}
