import { Button, FileButton, Textarea, TextInput } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { cutText } from '../../../../contract/cut-text.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import { KnowledgeUse } from './knowledge-use.tsx';
import { texts } from './texts.ts';

/** A copy of the server's limit in contract/dashboard/agents.ts. */
const MAX_BYTES = 1024 * 1024;

type Props = { agentId: string; opened: boolean; onAdded: (name: string) => void; onClose: () => void };

export function AddDocumentDialog(props: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      // An accidental click next to the form would lose the input.
      closeOnClickOutside={false}
      title={say('add_document')}
      size="lg"
    >
      <Form {...props} />
    </Dialog>
  );
}

function Form({ agentId, onAdded, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const create = useAct('createDocument', { refresh: ['listDocuments', 'readKnowledgeUse'] });
  const form = useCheckedForm({ name: '', text: '' }, (common) => ({
    name: (value) => (value.trim() === '' ? common('required') : null),
    text: (value) =>
      value.trim() === ''
        ? say('document_missing')
        : new TextEncoder().encode(value).length > MAX_BYTES
          ? say('document_too_large')
          : null,
  }));
  const take = async (file: File | null): Promise<void> => {
    if (!file) return;
    if (file.size > MAX_BYTES) return form.setFieldError('text', say('document_too_large'));
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
      if (text.includes('\0')) throw new Error('not text');
      form.setFieldValue('text', text);
      if (form.getValues().name === '') form.setFieldValue('name', cutText(file.name, MAX_NAME_CHARACTERS));
      form.clearErrors();
    } catch {
      form.setFieldError('text', say('document_unreadable'));
    }
  };
  const submit = form.submit(({ name, text }) =>
    create.mutate(
      { params: { org_id, agent_id: agentId }, body: { name: name.trim(), text } },
      {
        onSuccess: (made) => {
          onClose();
          onAdded(made.name);
        },
        onError: form.place,
      },
    ),
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={say('add_document')}
      busy={create.isPending}
      problem={form.unplaced(create.error)}
      onCancel={onClose}
      aside={
        <FileButton onChange={(file) => void take(file)} accept="text/plain,text/markdown,.md,.txt,.csv">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconFileUpload size={16} />}>
              {say('document_file')}
            </Button>
          )}
        </FileButton>
      }
    >
      <KnowledgeUse agentId={agentId} />
      <TextInput
        label={say('document_name')}
        description={say('document_name_hint')}
        withAsterisk
        maxLength={MAX_NAME_CHARACTERS}
        dir="auto"
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Textarea
        label={say('document_text')}
        description={say('document_text_hint')}
        withAsterisk
        dir="auto"
        autosize
        minRows={8}
        maxRows={16}
        {...form.getInputProps('text')}
      />
    </DialogForm>
  );
}
