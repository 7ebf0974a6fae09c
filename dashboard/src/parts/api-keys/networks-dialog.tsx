import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { KeyRecord } from '../../../../contract/dashboard/keys.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { notifyDone } from '../notify.tsx';
import { useCheckedForm } from '../use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { networkFaults, NetworksField, networksOf } from './networks-field.tsx';
import { texts } from './texts.ts';

export function NetworksDialog({ item, onClose }: { item: KeyRecord | null; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog
      opened={item !== null}
      onClose={onClose}
      title={item && say('networks_title', { label: `\u2068${item.label}\u2069` })}
    >
      {item && <Narrow item={item} onClose={onClose} />}
    </Dialog>
  );
}

function Narrow({ item, onClose }: { item: KeyRecord; onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const narrow = useAct('shortenKeyNetworks', { refresh: ['listKeys', 'readKey', 'listAudit'] });
  const form = useCheckedForm({ allowed_networks: item.allowed_networks?.join('\n') ?? '' }, () => ({
    allowed_networks: (value) => (networksOf(value).length === 0 ? say('networks_missing') : null),
  }));
  const submit = form.submit(({ allowed_networks }) => {
    const networks = networksOf(allowed_networks);
    narrow.mutate(
      { params: { org_id, key_id: item.id }, body: { allowed_networks: networks } },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('networks_narrowed'));
        },
        onError: (problem) => {
          form.place(problem);
          form.setFieldError('allowed_networks', networkFaults(problem, networks));
        },
      },
    );
  });
  return (
    <DialogForm
      onSubmit={submit}
      act={say('networks_act')}
      busy={narrow.isPending}
      problem={form.unplaced(narrow.error)}
      onCancel={onClose}
    >
      <Text size="sm">{say('networks_words')}</Text>
      <NetworksField {...form.getInputProps('allowed_networks')} />
    </DialogForm>
  );
}
