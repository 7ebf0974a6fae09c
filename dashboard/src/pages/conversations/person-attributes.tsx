import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { EndUserRecord } from '../../../../contract/dashboard/end-users.ts';
import { useAct, useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { typedNumber } from '../../parts/latin-digits.ts';
import { notifyDone } from '../../parts/notify.tsx';
import { useMay, useOrganization } from '../../session/session.ts';
import { common } from '../../language/common.ts';
import { EditableFact } from './editable-fact.tsx';
import type { ChangePerson } from './use-change-person.ts';
import { personTexts } from './person-texts.ts';
import classes from './person-panel.module.css';

type Props = { person: EndUserRecord; change: ChangePerson | null };

/** Shows the attributes of a person, in the order of the organization. */
export function PersonAttributes({ person: { attributes }, change }: Props): ReactNode {
  const say = useTexts(personTexts);
  const org_id = useOrganization().id;
  const mayOrder = useMay('admin');
  const [ordering, setOrdering] = useState(false);
  const order = useRead('readAttributeOrder', { params: { org_id } }, { staleTime: 60_000 }).data?.names ?? [];
  const names = inOrder(Object.keys(attributes), order);
  return (
    <>
      {(names.length > 0 || change) && (
        <div className={classes.title}>
          <Text size="xs" fw={600}>
            {say('attributes')}
          </Text>
          {mayOrder && names.length + order.length > 1 && (
            <ActionIcon
              size={26}
              variant="subtle"
              color="gray"
              aria-label={say('order')}
              aria-haspopup="dialog"
              onClick={() => setOrdering(true)}
            >
              <IconArrowsSort size={16} />
            </ActionIcon>
          )}
        </div>
      )}
      {names.map((name) => (
        <EditableFact
          key={name}
          label={name}
          value={shownAs(attributes[name])}
          error={change?.errorOf(`attributes.${name}`)}
          onSave={
            change && typeof attributes[name] !== 'object'
              ? (value) =>
                  change.set(`attributes.${name}`, { attributes: { [name]: likeBefore(value, attributes[name]) } })
              : null
          }
        />
      ))}
      {change && <AddAttribute known={names} change={change} />}
      <Dialog opened={ordering} onClose={() => setOrdering(false)} title={say('order')}>
        <Ordering names={[...new Set([...order, ...names])]} onClose={() => setOrdering(false)} />
      </Dialog>
    </>
  );
}

const inOrder = (names: readonly string[], order: readonly string[]): string[] => [
  ...order.filter((name) => names.includes(name)),
  ...names.filter((name) => !order.includes(name)).toSorted((a, b) => a.localeCompare(b)),
];

const shownAs = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

/**
 * A number stays a number if the new text is a number, and a boolean stays a boolean if the new text is true or false.
 * An empty text removes the attribute.
 */
function likeBefore(text: string, before: unknown): unknown {
  if (text === '') return null;
  if (typeof before === 'number' && Number.isFinite(typedNumber(text))) return typedNumber(text);
  if (typeof before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function AddAttribute({ known, change }: { known: readonly string[]; change: ChangePerson }): ReactNode {
  const say = useTexts(personTexts);
  const [added, setAdded] = useState('');
  const [name, setName] = useState<string | null>(null);
  const isKnown = known.includes(added.trim());
  const isNamed = name !== null && !known.includes(name);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The field or button with the focus was replaced.
    if (name !== null && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [name, isNamed]);
  const choose = (): void => {
    if (added.trim() === '' || isKnown) return;
    setName(added.trim());
    setAdded('');
  };
  return (
    <div ref={box} style={{ display: 'contents' }}>
      {isNamed ? (
        <EditableFact
          label={name}
          value=""
          error={change.errorOf(`attributes.${name}`)}
          onSave={(value) => change.set(`attributes.${name}`, { attributes: { [name]: value } })}
        />
      ) : (
        <TextInput
          size="xs"
          dir="auto"
          aria-label={say('attribute_name')}
          placeholder={say('attribute_add')}
          maxLength={64}
          value={added}
          error={isKnown && say('attribute_exists')}
          onChange={(event) => setAdded(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            // The key must not press the button that gets the focus.
            event.preventDefault();
            choose();
          }}
          onBlur={choose}
        />
      )}
    </div>
  );
}

/** Members order the attributes by buttons, which work with every pointer and keyboard. */
function Ordering({ names, onClose }: { names: readonly string[]; onClose: () => void }): ReactNode {
  const say = useTexts(personTexts);
  const sayCommon = useTexts(common);
  const org_id = useOrganization().id;
  const [order, setOrder] = useState(names);
  const save = useAct('setAttributeOrder', { refresh: ['readAttributeOrder', 'listAudit'] });
  const move = (at: number, step: 1 | -1): void =>
    setOrder(order.with(at, order[at + step]!).with(at + step, order[at]!));
  const submit = (): void =>
    save.mutate(
      { params: { org_id }, body: { names: [...order] } },
      {
        onSuccess: () => {
          onClose();
          notifyDone(say('order_saved'));
        },
      },
    );
  return (
    <DialogForm
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      act={sayCommon('save')}
      busy={save.isPending}
      problem={save.error}
      onCancel={onClose}
    >
      <Text size="sm">{say('order_hint')}</Text>
      <Stack gap={4}>
        {order.map((name, at) => (
          <Group key={name} gap={4} wrap="nowrap" justify="space-between">
            <Text size="sm" dir="auto" truncate>
              {name}
            </Text>
            <Group gap={4} wrap="nowrap">
              <Button
                size="compact-sm"
                variant="default"
                aria-label={say('up', { name })}
                disabled={at === 0}
                onClick={() => move(at, -1)}
              >
                <IconArrowUp size={15} />
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={say('down', { name })}
                disabled={at === order.length - 1}
                onClick={() => move(at, 1)}
              >
                <IconArrowDown size={15} />
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
    </DialogForm>
  );
}
