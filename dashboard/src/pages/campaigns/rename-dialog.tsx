import { Modal, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useWords } from '../../language/words.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { words as agentWords } from '../agents/agent-select-words.ts';
import { READ_AGAIN } from './search.ts';
import { words } from './words.ts';

type RenameProps = { item: CampaignRecord; opened: boolean; onClose: () => void };

export function RenameDialog({ item, opened, onClose }: RenameProps): ReactNode {
  const say = useWords(words);
  return (
    <Modal opened={opened} onClose={onClose} title={say('rename')}>
      <RenameForm item={item} onClose={onClose} />
    </Modal>
  );
}

function RenameForm({ item, onClose }: Omit<RenameProps, 'opened'>): ReactNode {
  const say = useWords(words);
  const sayAgent = useWords(agentWords);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const rename = useAct('updateCampaign', { refresh: READ_AGAIN });
  const form = useCheckedForm({ name: item.name }, () => ({
    name: (value) => (value.trim() === '' ? sayAgent('name_missing') : null),
  }));
  const submit = form.submit(({ name }) =>
    rename.mutate(
      { params: { org_id, campaign_id: item.id }, body: { name: name.trim() } },
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
        label={say('name')}
        maxLength={MAX_LABEL_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
    </DialogForm>
  );
}
