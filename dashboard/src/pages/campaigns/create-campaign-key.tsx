import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignRecord } from '../../../../contract/dashboard/campaigns.ts';
import type { NewKey } from '../../../../contract/dashboard/keys.ts';
import { MAX_LABEL_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { useShownOnce } from '../../parts/shown-once.tsx';
import { ShownOnce } from '../../parts/api-keys/create/shown-once.tsx';
import { isLimit, limitsOf, NO_LIMITS, OptionalLimits } from '../../parts/api-keys/limits-field.tsx';
import { networkFaults, networksOf, OptionalNetworks } from '../../parts/api-keys/networks-field.tsx';
import { texts as keyTexts } from '../../parts/api-keys/texts.ts';
import { texts } from './texts.ts';

type DialogProps = {
  campaign: CampaignRecord;
  opened: boolean;
  onMade: (made: NewKey) => void;
  onClose: () => void;
};

/**
 * The dialog works as for any other key, with the form first and then the value once. After the dialog closes, no part
 * of the page contains the value.
 */
export function CreateCampaignKey({ campaign, opened, onMade, onClose }: DialogProps): ReactNode {
  const say = useTexts(texts);
  const { made, setMade, guard } = useShownOnce<NewKey>(onClose, ['listKeys', 'readOverview']);
  return (
    <Dialog
      opened={opened}
      onClose={made ? guard.ask : onClose}
      title={say(made ? 'key_ready' : 'key_create')}
      size={made ? 680 : 'md'}
    >
      {made ? (
        <ShownOnce made={made} guard={guard} />
      ) : (
        <CreateForm
          campaign={campaign}
          onClose={onClose}
          onMade={(key) => {
            setMade(key);
            onMade(key);
          }}
        />
      )}
    </Dialog>
  );
}

function CreateForm({ campaign, onMade, onClose }: Omit<DialogProps, 'opened'>): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  // When the dialog closes, the list is read again.
  const create = useAct('createKey', { refresh: [] });
  const sayKeys = useTexts(keyTexts);
  const checkLimit = (value: string): string | null => (isLimit(value) ? null : sayKeys('limit_invalid'));
  const form = useCheckedForm({ label: '', allowed_networks: '', ...NO_LIMITS }, () => ({
    per_minute: checkLimit,
    total: checkLimit,
    label: (value) => (value.trim() === '' ? say('key_label_missing') : null),
  }));
  const submit = form.submit(({ label, allowed_networks, ...texts }) => {
    const networks = networksOf(allowed_networks);
    const limits = limitsOf(texts);
    create.mutate(
      {
        params: { org_id },
        body: {
          label: label.trim(),
          scope: 'campaign',
          campaign_id: campaign.id,
          ...(networks.length > 0 && { allowed_networks: networks }),
          ...(Object.keys(limits).length > 0 && { limits }),
        },
      },
      {
        onSuccess: (made) => {
          // The response with the value is not stored outside of the dialog.
          create.reset();
          onMade(made);
        },
        onError: (problem) => {
          form.place(problem);
          const fault = networkFaults(problem, networks);
          if (fault) form.setFieldError('allowed_networks', fault);
        },
      },
    );
  });
  return (
    <DialogForm
      onSubmit={submit}
      act={say('key_create')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
    >
      <TextInput
        label={say('key_label')}
        description={say('key_label_hint')}
        withAsterisk
        maxLength={MAX_LABEL_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('label')}
      />
      <OptionalNetworks {...form.getInputProps('allowed_networks')} />
      <OptionalLimits inputOf={form.getInputProps} without="per_end_user_per_minute" />
    </DialogForm>
  );
}
