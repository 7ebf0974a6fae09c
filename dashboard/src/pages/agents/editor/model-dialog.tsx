import { Button, Modal, PasswordInput, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ModelProviderName, ModelRecord } from '../../../../../contract/dashboard/models.ts';
import type { Problem } from '../../../api/client.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useWords } from '../../../language/words.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { embeddingWords } from '../embedding-words.ts';
import { words } from '../words.ts';

type FormProps = { provider: ModelProviderName; stored: ModelRecord | null; onClose: () => void };
type Props = FormProps & { opened: boolean };

export function ModelDialog(props: Props): ReactNode {
  const say = useWords(words);
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={say('provider_title', { provider: say(`provider_${props.provider}`) })}
    >
      <ModelForm {...props} />
    </Modal>
  );
}

const EXAMPLES: Record<ModelProviderName, string> = {
  openai_compatible: 'nomic-embed-text',
  openai: 'text-embedding-3-small',
  anthropic: '',
  google: 'gemini-embedding-001',
};

/** Saves the connection; an embedding model is called once, so that a wrong name shows at once. */
function useSaving({ provider, stored, onClose }: FormProps) {
  const say = useWords(words);
  const sayEmbedding = useWords(embeddingWords);
  const params = { org_id: useOrganization().id, provider };
  const refresh = ['listModels', 'readEmbeddings'] as const;
  const set = useAct('setModel', { refresh });
  const check = useAct('checkModel', { refresh });
  const remove = useAct('removeModel', { refresh });
  const saved = (word: 'provider_saved' | 'provider_removed'): void => {
    onClose();
    notifyDone(say(word));
  };
  const tryModel = (): void =>
    check.mutate(
      { params },
      {
        onSuccess: ({ embedding_dimensions: count }) => {
          onClose();
          notifyDone(sayEmbedding('checked', { dimensions: sayEmbedding('dimensions', { count }) }));
        },
      },
    );
  const save = (values: Values, onError: (problem: Problem) => void): void => {
    const [key, embedding] = [values.key.trim(), values.embedding_model.trim() || null];
    const body = {
      base_url: values.base_url.trim() || null,
      ...(key !== '' && { key }),
      ...(embedding !== (stored?.embedding_model ?? null) && { embedding_model: embedding }),
    };
    set.mutate(
      { params, body },
      { onSuccess: () => (embedding === null ? saved('provider_saved') : tryModel()), onError },
    );
  };
  return {
    set,
    check,
    remove: { ...remove, act: () => remove.mutate({ params }, { onSuccess: () => saved('provider_removed') }) },
    tryModel,
    save,
  };
}

type Values = { key: string; base_url: string; embedding_model: string };

export function ModelForm(props: FormProps): ReactNode {
  const { provider, stored, onClose } = props;
  const say = useWords(words);
  const sayCommon = useWords(common);
  const { set, check, remove, tryModel, save } = useSaving(props);
  // The stored key was given for the stored address.
  const isMoved = (url: string): boolean => (url.trim() || null) !== (stored?.base_url ?? null);
  const initial = { key: '', base_url: stored?.base_url ?? '', embedding_model: stored?.embedding_model ?? '' };
  const form = useCheckedForm<Values>(initial, () => ({
    key: (value, { base_url }) => {
      if (value.trim() !== '') return null;
      if (stored?.has_key && isMoved(base_url)) return say('api_key_again');
      return base_url.trim() === '' && !stored ? say('provider_empty') : null;
    },
  }));
  const asksAgain = stored?.has_key === true && isMoved(form.values.base_url);
  return (
    <DialogForm
      onSubmit={form.submit((values) => save(values, form.place))}
      act={sayCommon('save')}
      busy={set.isPending || check.isPending}
      problem={form.unplaced(set.error) ?? remove.error}
      onCancel={onClose}
      aside={
        stored && (
          <Button variant="subtle" color="red" loading={remove.isPending} onClick={remove.act}>
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
      <EmbeddingField provider={provider} field={form.getInputProps('embedding_model')} />
      <CheckFailed problem={check.error} onRetry={tryModel} />
    </DialogForm>
  );
}

function EmbeddingField({ provider, field }: { provider: ModelProviderName; field: object }): ReactNode {
  const say = useWords(embeddingWords);
  if (provider === 'anthropic') {
    return (
      <Text size="sm" c="dimmed">
        {say('embedding_none')}
      </Text>
    );
  }
  return (
    <TextInput
      label={say('embedding_model')}
      description={say('embedding_hint', { example: EXAMPLES[provider] })}
      dir="ltr"
      autoComplete="off"
      maxLength={200}
      {...field}
    />
  );
}

function CheckFailed({ problem, onRetry }: { problem: Problem | null; onRetry: () => void }): ReactNode {
  const say = useWords(embeddingWords);
  return problem && <ProblemAlert title={say('check_failed')} problem={problem} onRetry={onRetry} />;
}
