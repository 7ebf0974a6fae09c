import { Modal, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../../../contract/limits.ts';
import { useAct } from '../../../../api/queries.ts';
import { common } from '../../../../language/common.ts';
import { useWords } from '../../../../language/words.tsx';
import { DialogForm } from '../../../../parts/dialog-form.tsx';
import { notifyDone } from '../../../../parts/notify.tsx';
import { useCheckedForm } from '../../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../../session/session.ts';
import { words } from './words.ts';

export function RenameDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useWords(words);
  return (
    <Modal opened={item !== null} onClose={onClose} title={say('rename_title')}>
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
        onError: form.place,
      },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={sayCommon('save')}
      busy={rename.isPending}
      problem={form.unplaced(rename.error)}
      onCancel={onClose}
    >
      <TextInput
        label={say('label')}
        maxLength={MAX_LABEL_CHARACTERS}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('label')}
      />
    </DialogForm>
  );
}
