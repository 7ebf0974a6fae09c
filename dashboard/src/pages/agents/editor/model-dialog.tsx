import { Button, Modal, PasswordInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ModelProviderName, ModelRecord } from '../../../../../contract/dashboard/models.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useWords } from '../../../language/words.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { words } from '../words.ts';

type Props = { opened: boolean; provider: ModelProviderName; stored: ModelRecord | null; onClose: () => void };

export function ModelDialog(props: Props): ReactNode {
  const say = useWords(words);
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={say('provider_title', { provider: say(`provider_${props.provider}`) })}
    >
      <Form {...props} />
    </Modal>
  );
}

function Form({ provider, stored, onClose }: Props): ReactNode {
  const say = useWords(words);
  const sayCommon = useWords(common);
  const org_id = useOrganization().id;
  const set = useAct('setModel', { refresh: ['listModels'] });
  const remove = useAct('removeModel', { refresh: ['listModels'] });
  // The stored key was given for the stored address.
  const isMoved = (url: string): boolean => (url.trim() || null) !== (stored?.base_url ?? null);
  const form = useCheckedForm({ key: '', base_url: stored?.base_url ?? '' }, () => ({
    key: (value, { base_url }) => {
      if (value.trim() !== '') return null;
      if (stored?.has_key && isMoved(base_url)) return say('api_key_again');
      return base_url.trim() === '' && !stored ? say('provider_empty') : null;
    },
  }));
  const params = { org_id, provider };
  const done = (word: 'provider_saved' | 'provider_removed') => ({
    onSuccess: () => {
      onClose();
      notifyDone(say(word));
    },
  });
  const submit = form.submit(({ key, base_url }) =>
    set.mutate(
      { params, body: { base_url: base_url.trim() || null, ...(key.trim() !== '' && { key: key.trim() }) } },
      { ...done('provider_saved'), onError: form.place },
    ),
  );
  const asksAgain = stored?.has_key === true && isMoved(form.values.base_url);
  const problem = form.unplaced(set.error) ?? remove.error;
  return (
    <DialogForm
      onSubmit={submit}
      act={sayCommon('save')}
      busy={set.isPending}
      problem={problem}
      onCancel={onClose}
      aside={
        stored && (
          <Button
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate({ params }, done('provider_removed'))}
          >
            {say('provider_remove')}
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed">
        {say('provider_words')}
      </Text>
      <PasswordInput
        label={say('api_key')}
        description={asksAgain ? say('api_key_again') : stored?.has_key ? say('api_key_kept') : undefined}
        withAsterisk={asksAgain}
        autoComplete="off"
        dir="ltr"
        data-autofocus
        {...form.getInputProps('key')}
      />
      <TextInput
        label={say('base_url')}
        description={say('base_url_hint')}
        type="url"
        dir="ltr"
        autoComplete="off"
        {...form.getInputProps('base_url')}
      />
    </DialogForm>
  );
}
