import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useWords } from '../language/words.tsx';
import { NewOrganizationForm } from './new-organization-form.tsx';
import { words } from './words.ts';

export function NewOrganizationDialog({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={say('new_organization')}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      <NewOrganizationForm onDone={onClose} />
    </Modal>
  );
}
