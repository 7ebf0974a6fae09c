import { SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import type { UpdateEndUser } from '../../../../contract/end-users.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { useAct } from '../../api/queries.ts';
import { common } from '../../language/common.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { parseObject } from '../../parts/parse-object.ts';
import { useCheckedForm } from '../../parts/use-checked-form.ts';
import { useOrganization } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { texts } from './texts.ts';

type Props = {
  /** Null: the form creates a person. */
  item: EndUserRecord | null;
  opened: boolean;
  onClose: () => void;
  onMade?: (id: string) => void;
};

/** Creates or changes a person. */
export function EndUserDialog({ opened, onClose, ...rest }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={say(rest.item ? 'edit' : 'add')}>
      <EndUserForm onClose={onClose} {...rest} />
    </Dialog>
  );
}

const READ_AGAIN = ['readEndUser', 'listEndUsers'] as const;
/** The Arabic comma also separates tags. */
const COMMA = /[,،]/;
const TEXTS = ['external_id', 'name', 'email', 'phone', 'locale', 'time_zone'] as const;

function EndUserForm({ item, onClose, onMade }: Omit<Props, 'opened'>): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const { form, blocked, setBlocked, act, submit } = useEndUserForm(item, (record) => {
    onClose();
    if (!item) onMade?.(record.id);
  });
  const field = (name: (typeof TEXTS)[number], more: object = {}): ReactNode => (
    <TextInput
      label={say(name === 'locale' ? 'language' : name)}
      autoComplete="off"
      dir={name === 'name' ? 'auto' : 'ltr'}
      {...more}
      {...form.getInputProps(name)}
    />
  );
  return (
    <DialogForm
      onSubmit={submit}
      act={item ? sayCommon('save') : say('add')}
      busy={act.isPending}
      problem={form.unplaced(act.error)}
      onCancel={onClose}
    >
      {field('name', { maxLength: MAX_NAME_CHARACTERS, 'data-autofocus': true })}
      {field('external_id', { description: say('external_id_hint') })}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {field('email', { type: 'email' })}
        {field('phone', { placeholder: '+97430000000' })}
        {field('locale', { placeholder: 'ar-QA' })}
        {field('time_zone', { placeholder: 'Asia/Qatar' })}
        <TextInput
          label={say('tags')}
          placeholder={say('tags_example')}
          dir="auto"
          autoComplete="off"
          {...form.getInputProps('tags')}
        />
      </SimpleGrid>
      <Textarea
        label={say('attributes')}
        description={say('attributes_json')}
        className={pageClasses.mono}
        placeholder='{"plan": "gold"}'
        autosize
        minRows={3}
        maxRows={12}
        dir="ltr"
        {...form.getInputProps('attributes')}
      />
      <Switch
        label={say('blocked')}
        description={say('blocked_hint')}
        checked={blocked}
        onChange={(event) => setBlocked(event.currentTarget.checked)}
      />
    </DialogForm>
  );
}

type Values = Record<(typeof TEXTS)[number] | 'tags' | 'attributes', string>;

function useEndUserForm(now: EndUserRecord | null, onSaved: (record: EndUserRecord) => void) {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  // The record when the dialog opened, because a later change by a backend is not a change by this user.
  const [item] = useState(now);
  const create = useAct('createEndUser', { refresh: READ_AGAIN });
  const update = useAct('updateEndUser', { refresh: READ_AGAIN });
  const [blocked, setBlocked] = useState(item?.blocked ?? false);
  const form = useCheckedForm(valuesOf(item), () => ({
    external_id: (_, values) =>
      item === null && [values.external_id, values.email, values.phone].every((value) => value.trim() === '')
        ? say('identifier_missing')
        : null,
    attributes: (value) => (readAttributes(value) === null ? say('attributes_wrong') : null),
  }));
  const submit = form.submit((values) => {
    const changes = changesOf(item, values, blocked);
    const ended = {
      onSuccess: (record: EndUserRecord) => {
        onSaved(record);
        notifyDone(say(item ? 'edited' : 'added'));
      },
      onError: form.place,
    };
    if (item) update.mutate({ params: { org_id, end_user_id: item.id }, body: changes }, ended);
    else create.mutate({ params: { org_id }, body: changes }, ended);
  });
  return { form, blocked, setBlocked, act: item ? update : create, submit };
}

const valuesOf = (item: EndUserRecord | null): Values => ({
  ...(Object.fromEntries(TEXTS.map((name) => [name, item?.[name] ?? ''])) as Record<(typeof TEXTS)[number], string>),
  tags: item?.tags.join(', ') ?? '',
  attributes: item && Object.keys(item.attributes).length > 0 ? JSON.stringify(item.attributes, null, 2) : '',
});

/** Returns the changed fields, which alone are sent. */
function changesOf(item: EndUserRecord | null, values: Values, blocked: boolean): UpdateEndUser {
  const before = valuesOf(item);
  const texts = TEXTS.filter((name) => values[name].trim() !== (item?.[name] ?? ''));
  return {
    ...Object.fromEntries(texts.map((name) => [name, values[name].trim() || null])),
    ...(values.tags !== before.tags && { tags: values.tags.split(COMMA).flatMap((tag) => tag.trim() || []) }),
    ...(values.attributes !== before.attributes && {
      attributes: changed(item?.attributes ?? {}, readAttributes(values.attributes)!),
    }),
    ...(blocked !== (item?.blocked ?? false) && { blocked }),
  };
}

/** Null if the text is not a JSON object. */
const readAttributes = (text: string): Record<string, unknown> | null => (text.trim() === '' ? {} : parseObject(text));

/** The server merges attributes, so removed attributes are sent as null, and unchanged attributes are not sent. */
const changed = (before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.keys(before)
      .filter((name) => !Object.hasOwn(after, name))
      .map((name) => [name, null]),
  ),
  ...Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)),
  ),
});
