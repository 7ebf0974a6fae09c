import { ActionIcon, Button, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconChevronRight, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { texts } from '../texts.ts';
import { useEditor } from '../../../parts/editor/editor.ts';
import classes from '../agents.module.css';

type Props<T> = {
  label: string;
  items: readonly T[];
  onChange: (items: T[]) => void;
  make: () => T;
  add: string;
  empty: string;
  max: number;
  titleOf: (item: T) => string;
  hintOf?: (item: T) => string | undefined;
  pointer: string;
  children: (item: T, change: (part: Partial<T>) => void, pointer: string) => ReactNode;
};

/** A list of items whose order matters. Each item can be opened, moved up and down, and removed. */
export function ItemCards<T>(props: Props<T>): ReactNode {
  const { label, items, onChange, make, add, empty, max, titleOf, hintOf, pointer, children } = props;
  const say = useTexts(texts);
  const { readOnly, faulty } = useEditor();
  const [opened, setOpened] = useState<number | null>(null);
  const move = (from: number, to: number): void => {
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
    setOpened(null);
  };
  return (
    <>
      {items.length === 0 && (
        <Text size="sm" c="dimmed" mb="md">
          {empty}
        </Text>
      )}
      <ol className={classes.items} aria-label={label}>
        {items.map((item, index) => {
          const at = `${pointer}/${index}`;
          const isOpen = opened === index || (opened === null && faulty(at));
          return (
            <li key={index} className={classes.item} data-fault={faulty(at) || undefined}>
              <ItemHead
                name={titleOf(item) || say('untitled')}
                hint={hintOf?.(item)}
                isOpen={isOpen}
                onToggle={() => setOpened(isOpen ? -1 : index)}
                onUp={index > 0 ? () => move(index, index - 1) : null}
                onDown={index < items.length - 1 ? () => move(index, index + 1) : null}
                onRemove={() => {
                  onChange(items.filter((_, other) => other !== index));
                  setOpened(-1);
                }}
              />
              {isOpen && (
                <div className={classes.itemBody}>
                  {children(
                    item,
                    (part) => onChange(items.map((one, other) => (other === index ? { ...one, ...part } : one))),
                    at,
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {!readOnly && (
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          disabled={items.length >= max}
          onClick={() => {
            onChange([...items, make()]);
            setOpened(items.length);
          }}
        >
          {add}
        </Button>
      )}
    </>
  );
}

type HeadProps = {
  name: string;
  hint: string | undefined;
  isOpen: boolean;
  onToggle: () => void;
  /** Null: the item is the first or the last. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove: () => void;
};

/** The line of one item, whether it is open or closed. */
function ItemHead({ name, hint, isOpen, onToggle, onUp, onDown, onRemove }: HeadProps): ReactNode {
  const say = useTexts(texts);
  const { readOnly } = useEditor();
  const moves = [
    { label: say('move_up', { name }), act: onUp, Icon: IconArrowUp },
    { label: say('move_down', { name }), act: onDown, Icon: IconArrowDown },
    { label: say('remove_item', { name }), act: onRemove, Icon: IconTrash },
  ];
  return (
    <div className={classes.itemHead}>
      <button
        type="button"
        className={`mantine-focus-auto ${classes.itemTitle}`}
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <IconChevronRight size={16} aria-hidden="true" />
        <span className={classes.itemName} dir="auto">
          {name}
        </span>
        {hint !== undefined && (
          <Text span size="xs" c="dimmed" fw={400}>
            {hint}
          </Text>
        )}
      </button>
      {!readOnly &&
        moves.map(({ label, act, Icon }, index) => (
          <ActionIcon
            key={index}
            variant="subtle"
            color="gray"
            disabled={act === null}
            aria-label={label}
            onClick={() => act?.()}
          >
            <Icon size={16} />
          </ActionIcon>
        ))}
    </div>
  );
}
