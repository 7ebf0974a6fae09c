import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../../../contract/limits.ts';
import { useAct } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useWords } from '../../../../language/words.tsx';
import { notifyDone } from '../../../../parts/notify.tsx';
import { ProblemAlert } from '../../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../../session/session.ts';
import { words } from './words.ts';

export function RenameDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  return (
    <Modal
      opened={item !== null}
      onClose={onClose}
      title={say('rename_title')}
      closeButtonProps={{ 'aria-label': sayCommon('close') }}
    >
      {item && <Rename item={item} onClose={onClose} />}
    </Modal>
  );
}

function Rename({ item, onClose }: { item: KeyRecord; onClose: () => void }): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const rename = useAct('renameKey', { refresh: ['listKeys', 'readKey', 'listAudit'] });
  const form = useCheckedForm({ label: item.label }, () => ({
    label: (value) => (value.trim() === '' ? say('label_missing') : null),
  }));
  const submit = form.submit(({ label }) =>
    rename.mutate(
      { params: { org_id, key_id: item.id }, body: { label: label.trim() } },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('renamed'));
        },
        onError: (problem) => void form.place(problem),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={say('label')}
          maxLength={MAX_LABEL_CHARACTERS}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('label')}
        />
        {rename.error && rename.error.faults.length === 0 && <ProblemAlert problem={rename.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {sayCommon('cancel')}
          </Button>
          <Button type="submit" loading={rename.isPending}>
            {sayCommon('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
