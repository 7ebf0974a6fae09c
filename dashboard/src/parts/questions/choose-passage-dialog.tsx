import { Radio, Skeleton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { cutText } from '../../../../contract/cut-text.ts';
import { MAX_WORDING_CHARACTERS, type SuggestedPassages } from '../../../../contract/dashboard/wordings.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { notifyDone } from '../notify.tsx';
import { ProblemAlert } from '../problem-alert.tsx';
import { useCheckedForm } from '../use-checked-form.ts';
import { teachTexts } from './teach-texts.ts';

/** A question of a person, with the agent's message that did not answer it. */
export type Teachable = { agentId: string; question: string; messageId: string; endUserId: string | null };

type Props = {
  item: Teachable | null;
  onClose: () => void;
  onLearned?: () => void;
  /** This function is called after the dialog has closed and the focus is back. */
  onClosed?: () => void;
};

/** Teaches an agent a question as another wording of a passage that a member chooses. */
export function ChoosePassageDialog({ item, onClose, onLearned, onClosed }: Props): ReactNode {
  const say = useTexts(teachTexts);
  return (
    <Dialog
      opened={item !== null}
      onClose={onClose}
      closeOnClickOutside={false}
      size="lg"
      title={say('dialog')}
      {...(onClosed && { onExitTransitionEnd: onClosed })}
    >
      {item && <Form item={item} onClose={onClose} onLearned={onLearned} />}
    </Dialog>
  );
}

const SEARCH_AFTER_MS = 300;

type FormProps = { item: Teachable; onClose: () => void; onLearned: (() => void) | undefined };

function Form({ item, onClose, onLearned }: FormProps): ReactNode {
  const say = useTexts(teachTexts);
  const params = { org_id: useOrganization().id, agent_id: item.agentId };
  const asked = cutText(item.question, MAX_WORDING_CHARACTERS);
  const [search, setSearch] = useState('');
  const [sought] = useDebouncedValue(search.trim(), SEARCH_AFTER_MS);
  const read = useRead('suggestPassages', {
    params,
    query: sought === '' ? { question: asked, message_id: item.messageId } : { question: sought },
  });
  const passages = read.data?.passages ?? [];
  const learn = useAct('addWording', { refresh: ['listWordings'] });
  const form = useCheckedForm({ question: asked, passage: '' }, (common) => ({
    question: (value) => (value.trim() === '' ? common('required') : null),
    // Another search may not find the chosen passage.
    passage: (value) => (passages.some(({ passage }) => passage === value) ? null : common('required')),
  }));
  const { onChange, ...choice } = form.getInputProps('passage');
  const save = (question: string, key: string): void => {
    const chosen = passages.find(({ passage }) => passage === key)!;
    // The text of a person is erased together with this person.
    const from = question === asked && item.endUserId !== null ? { from: item.endUserId } : {};
    const body = { question, document_id: chosen.document_id, passage: key, ...from };
    learn.mutate(
      { params, body },
      {
        onSuccess: () => {
          onLearned?.();
          onClose();
          notifyDone(say('saved'));
        },
      },
    );
  };
  return (
    <DialogForm
      onSubmit={form.submit(({ question, passage }) => save(question.trim(), passage))}
      act={say('save')}
      busy={learn.isPending}
      problem={learn.error}
      onCancel={onClose}
    >
      <Textarea
        label={say('question')}
        description={say('question_hint')}
        autosize
        dir="auto"
        maxLength={MAX_WORDING_CHARACTERS}
        {...form.getInputProps('question')}
      />
      {read.data?.reply && (
        <Text size="sm" dir="auto" lineClamp={4}>
          {say('reply')}: <bdi>{read.data.reply}</bdi>
        </Text>
      )}
      <TextInput
        label={say('search')}
        description={say('search_hint')}
        dir="auto"
        maxLength={MAX_WORDING_CHARACTERS}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <Radio.Group label={say('passages')} {...choice} onChange={(value) => onChange({ currentTarget: { value } })}>
        <Passages passages={passages} isReading={read.isPending} />
        {read.error && <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />}
      </Radio.Group>
    </DialogForm>
  );
}

type ListProps = { passages: SuggestedPassages['passages']; isReading: boolean };

function Passages({ passages, isReading }: ListProps): ReactNode {
  const say = useTexts(teachTexts);
  if (isReading) return <Skeleton h={120} mt="xs" />;
  if (passages.length === 0)
    return (
      <Text size="sm" c="dimmed" mt="xs">
        {say('none')}
      </Text>
    );
  return (
    <Stack gap="xs" mt="xs">
      {passages.map(({ passage, document, heading, text }) => (
        <Radio
          key={passage}
          value={passage}
          label={<span dir="auto">{text}</span>}
          description={<bdi>{heading === null ? document : `${document} › ${heading}`}</bdi>}
        />
      ))}
    </Stack>
  );
}
