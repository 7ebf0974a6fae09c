import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { OrganizationRecord } from '../../../../../contract/dashboard/organizations.ts';
import { MAX_NAME_CHARACTERS } from '../../../../../contract/limits.ts';
import { type Plan, PLANS } from '../../../../../contract/permissions.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { LinkToCopy } from '../../../parts/link-to-copy.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { texts } from './texts.ts';

type Props = { opened: boolean; onClose: () => void };

export function MakeOrganizationDialog({ opened, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} title={say('make')}>
      <Make onClose={onClose} />
    </Dialog>
  );
}

function Make({ onClose }: { onClose: () => void }): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const create = useAct('createOrganization', { refresh: ['listOrganizations', 'readSession'] });
  const [made, setMade] = useState<OrganizationRecord | null>(null);
  const form = useCheckedForm<{ name: string; owner_email: string; plan: Plan }>(
    { name: '', owner_email: '', plan: 'free' },
    (common) => ({
      name: (value) => (value.trim() === '' ? common('required') : null),
      owner_email: (value) => (value.trim() === '' || /^\S+@\S+\.\S+$/.test(value.trim()) ? null : say('email_wrong')),
    }),
  );
  const submit = form.submit(({ name, owner_email, plan }) =>
    create.mutate(
      { body: { name: name.trim(), plan, ...(owner_email.trim() !== '' && { owner_email: owner_email.trim() }) } },
      {
        onSuccess: (organization) => {
          if (organization.invitation_url) return setMade(organization);
          notifyDone(say('made', { name: `\u2068${organization.name}\u2069` }));
          onClose();
        },
        onError: form.place,
      },
    ),
  );
  if (made?.invitation_url)
    return (
      <LinkToCopy
        label={say('link', { name: `\u2068${made.name}\u2069` })}
        url={made.invitation_url}
        hint={say('link_hint')}
        copyLabel={say('copy_link')}
        onClose={onClose}
      />
    );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('create')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed">
        {say('make_hint')}
      </Text>
      <TextInput
        label={say('name')}
        withAsterisk
        maxLength={MAX_NAME_CHARACTERS}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={say('owner_email')}
        description={say('owner_email_hint')}
        type="email"
        autoComplete="off"
        classNames={{ input: 'ltr' }}
        {...form.getInputProps('owner_email')}
      />
      <NativeSelect
        label={say('plan')}
        data={PLANS.map((plan) => ({ value: plan, label: sayCommon(`plan_${plan}`) }))}
        {...form.getInputProps('plan')}
      />
    </DialogForm>
  );
}
