import { TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { LocalizedText } from '../../../../../contract/agents.ts';
import type { ReplyActions } from '../../../../../contract/dashboard/conversations.ts';
import type { SavedReplyRecord } from '../../../../../contract/dashboard/saved-replies.ts';
import { MAX_NAME_CHARACTERS } from '../../../../../contract/limits.ts';
import { useAct, useRead } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { DialogForm } from '../../../parts/dialog-form.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { PagePending } from '../../../parts/page-pending.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { unplaced, useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useOrganization } from '../../../session/session.ts';
import { EditorContext, type Editor } from '../../../parts/editor/editor.ts';
import { LocalizedField } from '../../../parts/editor/localized-field.tsx';
import { ActionFields } from './action-fields.tsx';
import { savedReplyTexts } from './texts.ts';

/** `id`: null for a new reply. */
export type Opened = { id: string | null } | null;
type Props = { opened: Opened; onClose: () => void };

export function SavedReplyDialog({ opened, onClose }: Props): ReactNode {
  const say = useTexts(savedReplyTexts);
  // While the dialog closes, it shows the same content.
  const [last, setLast] = useState<{ id: string | null }>({ id: null });
  if (opened && opened !== last) setLast(opened);
  return (
    <Dialog opened={opened !== null} onClose={onClose} size="lg" title={say(last.id === null ? 'add' : 'edit')}>
      {last.id === null ? <ReplyForm item={null} onClose={onClose} /> : <Existing id={last.id} onClose={onClose} />}
    </Dialog>
  );
}

function Existing({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const org_id = useOrganization().id;
  const read = useRead('readSavedReply', { params: { org_id, saved_reply_id: id } }, { staleTime: 0 });
  // Another member may have changed the reply after it was last read.
  if (read.isPending || (read.isFetching && !read.isFetchedAfterMount)) return <PagePending />;
  if (!read.data) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  return <ReplyForm item={read.data} onClose={onClose} />;
}

function ReplyForm({ item: newest, onClose }: { item: SavedReplyRecord | null; onClose: () => void }): ReactNode {
  // The fields start from this record, also if a newer one is read later.
  const [item] = useState(newest);
  const say = useTexts(savedReplyTexts);
  const sayCommon = useTexts(common);
  const [text, setText] = useState<LocalizedText>(item?.text ?? {});
  const [actions, setActions] = useState<ReplyActions>(item?.actions ?? {});
  const [isMissing, setMissing] = useState(false);
  const form = useCheckedForm({ name: item?.name ?? '', shortcut: item?.shortcut ?? '' }, (sayRequired) => ({
    name: (value) => (value.trim() === '' ? sayRequired('required') : null),
    shortcut: (value) =>
      value.trim() === '' ? sayRequired('required') : /[\s/]/.test(value.trim()) ? say('shortcut_wrong') : null,
  }));
  const { save, busy, error } = useSave(item);
  const fault = (pointer: string): string | null =>
    isMissing && pointer === '/text'
      ? say('text_missing')
      : (error?.faults.find((one) => one.pointer === pointer)?.detail ?? null);
  const submit = (event: FormEvent): void => {
    const filled = Object.fromEntries(Object.entries(text).filter(([, one]) => one.trim() !== ''));
    const isEmpty = Object.keys(filled).length === 0;
    setMissing(isEmpty);
    form.submit(({ name, shortcut }) => {
      if (isEmpty) return;
      save(
        { name: name.trim(), shortcut: shortcut.trim(), text: filled, actions },
        { onSuccess: onClose, onError: form.place },
      );
    })(event);
  };
  return (
    <DialogForm
      onSubmit={submit}
      act={item ? sayCommon('save') : say('add')}
      busy={busy}
      problem={unplaced(error, ({ pointer }) => /^\/(name|shortcut|text)\b/.test(pointer))}
      onCancel={onClose}
    >
      <TextInput
        label={say('name')}
        dir="auto"
        maxLength={MAX_NAME_CHARACTERS}
        autoComplete="off"
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={say('shortcut')}
        description={say('shortcut_hint')}
        leftSection="/"
        maxLength={32}
        autoComplete="off"
        withAsterisk
        {...form.getInputProps('shortcut')}
      />
      <EditorContext value={{ ...NO_EDITOR, fault, faulty: (pointer) => fault(pointer) !== null }}>
        <LocalizedField
          label={say('text')}
          hint={say.rich('text_hint', VARIABLES)}
          value={text}
          onChange={(next) => setText(next ?? {})}
          pointer="/text"
          rows={4}
          required
        />
      </EditorContext>
      <ActionFields actions={actions} setActions={setActions} />
    </DialogForm>
  );
}

function useSave(item: SavedReplyRecord | null) {
  const say = useTexts(savedReplyTexts);
  const org_id = useOrganization().id;
  const refresh = ['listSavedReplies', 'listAudit'] as const;
  const create = useAct('createSavedReply', { refresh });
  const update = useAct('updateSavedReply', { refresh });
  type Body = Parameters<typeof create.mutate>[0]['body'] & object;
  type Then = { onSuccess: () => void; onError: NonNullable<Parameters<typeof create.mutate>[1]>['onError'] };
  const save = (body: Body, { onSuccess, onError }: Then): void => {
    const then = {
      onError,
      onSuccess: () => {
        onSuccess();
        notifyDone(say('saved'));
      },
    } as object;
    if (item === null) return create.mutate({ params: { org_id }, body }, then);
    // Another member may have changed the other fields.
    const before: Record<string, unknown> = item;
    const isChanged = ([name, value]: [string, unknown]): boolean =>
      JSON.stringify(value) !== JSON.stringify(before[name]);
    const changes = Object.fromEntries(Object.entries(body).filter(isChanged));
    update.mutate({ params: { org_id, saved_reply_id: item.id }, body: changes }, then);
  };
  return { save, busy: create.isPending || update.isPending, error: create.error ?? update.error };
}

/** The text field is a part of the agent editor and requires one, but this dialog has no definition. */
const NO_EDITOR: Pick<Editor, 'definition' | 'change' | 'readOnly' | 'variables'> = {
  definition: {},
  change: () => {},
  readOnly: false,
  variables: ['name', 'member.name'],
};

const variable = (text: string): ReactNode => (
  <code key={text} dir="ltr">
    {text}
  </code>
);
const VARIABLES = {
  name: variable('{{name}}'),
  fallback: variable('{{name|there}}'),
  member: variable('{{member.name}}'),
};
