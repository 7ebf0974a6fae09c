import { Alert, Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { MissedQuestion } from '../../../../contract/dashboard/questions.ts';
import type { CaseResult } from '../../../../contract/dashboard/test-cases.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../dialog-form.tsx';
import { Dialog } from '../dialog.tsx';
import { useCheckedForm } from '../use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { questionTexts } from './question-texts.ts';
import { type Made, useWriteAnswer } from './use-write-answer.ts';

type Props = {
  item: MissedQuestion | null;
  made: Made;
  onClose: () => void;
  /** This function is called after the dialog has closed and the focus is back. */
  onClosed: () => void;
};

export function WriteAnswerDialog({ item, made, onClose, onClosed }: Props): ReactNode {
  const say = useTexts(questionTexts);
  return (
    <Dialog
      opened={item !== null}
      onExitTransitionEnd={onClosed}
      onClose={onClose}
      closeOnClickOutside={false}
      size="lg"
      title={say('dialog')}
    >
      {item && <Form item={item} made={made} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ item, made, onClose }: Omit<Props, 'onClosed'> & { item: MissedQuestion }): ReactNode {
  const say = useTexts(questionTexts);
  const [addTest, setAddTest] = useState(true);
  const write = useWriteAnswer({ org_id: useOrganization().id, agent_id: item.agent_id }, item, made);
  const form = useCheckedForm({ question: item.question, answer: '' }, (common) => ({
    question: (value) => (value.trim() === '' ? common('required') : null),
    answer: (value) => (value.trim() === '' ? common('required') : null),
  }));
  if (write.data) return <Result result={write.data} onClose={onClose} />;
  return (
    <DialogForm
      onSubmit={form.submit(({ question, answer }) =>
        write.mutate({ question: question.trim(), answer: answer.trim(), addTest }),
      )}
      act={say('save')}
      busy={write.isPending}
      problem={write.error}
      onCancel={onClose}
    >
      <Textarea
        label={say('question')}
        description={say('question_hint')}
        autosize
        dir="auto"
        maxLength={1_000}
        {...form.getInputProps('question')}
      />
      <Textarea
        label={say('answer')}
        description={say('answer_hint')}
        autosize
        minRows={4}
        dir="auto"
        data-autofocus
        maxLength={20_000}
        {...form.getInputProps('answer')}
      />
      <Checkbox
        label={say('add_test')}
        checked={addTest}
        onChange={({ currentTarget: { checked } }) => setAddTest(checked)}
      />
    </DialogForm>
  );
}

/** Shows the agent's current answer to the question. */
function Result({ result, onClose }: { result: CaseResult; onClose: () => void }): ReactNode {
  const say = useTexts(questionTexts);
  const agentText = result.turns.flatMap((turn) => turn.said).join('\n');
  return (
    <Stack>
      <Alert color={result.passed ? 'blue' : 'orange'} role="status" title={say(result.passed ? 'works' : 'not_yet')}>
        <Text size="sm" dir="auto" style={{ whiteSpace: 'pre-line' }}>
          {agentText || say('silent')}
        </Text>
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus autoFocus>
          {say('done')}
        </Button>
      </Group>
    </Stack>
  );
}
