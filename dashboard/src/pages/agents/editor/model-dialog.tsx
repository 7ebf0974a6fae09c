import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ModelProviderName, ModelRecord } from '../../../../../contract/dashboard/models.ts';
import type { Problem } from '../../../api/client.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { embeddingTexts } from '../embedding-texts.ts';
import { texts } from '../texts.ts';

type FormProps = { provider: ModelProviderName; stored: ModelRecord | null; onClose: () => void };
type Props = FormProps & { opened: boolean };

export function ModelDialog(props: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      size="lg"
      title={say('provider_title', { provider: say(`provider_${props.provider}`) })}
    >
      <ModelForm {...props} />
    </Dialog>
  );
}

const EXAMPLES: Record<ModelProviderName, { embedding: string; transcription: string; question: string }> = {
  openai_compatible: { embedding: 'nomic-embed-text', transcription: 'whisper-1', question: 'llama3.2' },
  openai: { embedding: 'text-embedding-3-small', transcription: 'gpt-4o-mini-transcribe', question: 'gpt-5-mini' },
  anthropic: { embedding: '', transcription: '', question: 'claude-haiku-4-5' },
  google: { embedding: 'gemini-embedding-001', transcription: 'gemini-2.5-flash', question: 'gemini-2.5-flash' },
};

/** Saves the connection. An embedding model is called once, so that a wrong name is reported immediately. */
function useSaving({ provider, stored, onClose }: FormProps) {
  const say = useTexts(texts);
  const sayEmbedding = useTexts(embeddingTexts);
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
    const key = values.key.trim();
    const [embedding, transcription, question] = OTHER_MODELS.map((kind) => values[`${kind}_model`].trim() || null);
    const body = {
      base_url: values.base_url.trim() || null,
      ...(key !== '' && { key }),
      ...(embedding !== (stored?.embedding_model ?? null) && { embedding_model: embedding }),
      ...(transcription !== (stored?.transcription_model ?? null) && { transcription_model: transcription }),
      ...(question !== (stored?.question_model ?? null) && { question_model: question }),
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

const OTHER_MODELS = ['embedding', 'transcription', 'question'] as const;
type OtherModel = `${(typeof OTHER_MODELS)[number]}_model`;
type Values = { key: string; base_url: string } & Record<OtherModel, string>;

export function ModelForm(props: FormProps): ReactNode {
  const { provider, stored, onClose } = props;
  const [isRemoving, setRemoving] = useState(false);
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { set, check, remove, tryModel, save } = useSaving(props);
  // The stored key is valid only for the stored URL.
  const isMoved = (url: string): boolean => (url.trim() || null) !== (stored?.base_url ?? null);
  const initial = {
    key: '',
    base_url: stored?.base_url ?? '',
    embedding_model: stored?.embedding_model ?? '',
    transcription_model: stored?.transcription_model ?? '',
    question_model: stored?.question_model ?? '',
  };
  const form = useCheckedForm<Values>(initial, () => ({
    key: (value, { base_url }) => {
      if (value.trim() !== '') return null;
      if (stored?.has_key && isMoved(base_url)) return say('api_key_again');
      return base_url.trim() === '' && !stored ? say('provider_empty') : null;
    },
  }));
  const asksAgain = stored?.has_key === true && isMoved(form.values.base_url);
  if (isRemoving) return <Removal remove={remove} onCancel={() => setRemoving(false)} />;
  return (
    <DialogForm
      onSubmit={form.submit((values) => save(values, form.place))}
      act={sayCommon('save')}
      busy={set.isPending || check.isPending}
      problem={form.unplaced(set.error)}
      onCancel={onClose}
      aside={
        stored && (
          <Button variant="subtle" color="red" onClick={() => setRemoving(true)}>
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
      <OtherModels provider={provider} getInputProps={form.getInputProps} />
      <CheckFailed problem={check.error} onRetry={tryModel} />
    </DialogForm>
  );
}

type RemovalProps = { remove: ReturnType<typeof useSaving>['remove']; onCancel: () => void };

/** Replaces the form in its dialog until the removal is confirmed. */
function Removal({ remove, onCancel }: RemovalProps): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  return (
    <Stack>
      <Text size="sm">{say('provider_remove_words')}</Text>
      {remove.error && <ProblemAlert problem={remove.error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel} disabled={remove.isPending} autoFocus>
          {sayCommon('cancel')}
        </Button>
        <Button color="red.8" loading={remove.isPending} onClick={remove.act}>
          {say('provider_remove')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The tasks of a provider besides turns of agents. */
function OtherModels({
  provider,
  getInputProps,
}: {
  provider: ModelProviderName;
  getInputProps: (name: OtherModel) => object;
}): ReactNode {
  const say = useTexts(embeddingTexts);
  const kinds = provider === 'anthropic' ? (['question'] as const) : OTHER_MODELS;
  return (
    <>
      {provider === 'anthropic' && (
        <Text size="sm" c="dimmed">
          {say('embedding_none')}
        </Text>
      )}
      {kinds.map((kind) => (
        <TextInput
          key={kind}
          label={say(`${kind}_model`)}
          description={say(`${kind}_hint`, { example: EXAMPLES[provider][kind] })}
          dir="ltr"
          autoComplete="off"
          maxLength={200}
          {...getInputProps(`${kind}_model`)}
        />
      ))}
    </>
  );
}

function CheckFailed({ problem, onRetry }: { problem: Problem | null; onRetry: () => void }): ReactNode {
  const say = useTexts(embeddingTexts);
  return problem && <ProblemAlert title={say('check_failed')} problem={problem} onRetry={onRetry} />;
}
