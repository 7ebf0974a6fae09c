import { TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { Fact } from '../../parts/fact.tsx';
import { personTexts } from './person-texts.ts';
import classes from './person-panel.module.css';

type Props = {
  label: string;
  value: string;
  /** Null: the reader may not change the value, or it is not a text. */
  onSave: ((value: string) => void) | null;
  /** The error of the last change of the value. */
  error?: ReactNode;
  maxLength?: number;
};

/**
 * A value that changes in place: a click or Enter opens the field, Enter or leaving the field saves, and Esc cancels.
 */
export function EditableFact({ label, value, onSave, error, maxLength = 1_000 }: Props): ReactNode {
  const say = useTexts(personTexts);
  const [typed, setTyped] = useState<string | null>(null);
  // Another member may change the value while the field is open.
  const [opened, setOpened] = useState(value);
  // After a refusal, the next change starts with the refused text.
  const [last, setLast] = useState(value);
  const button = useRef<HTMLButtonElement>(null);
  const end = (isSaved: boolean): void => {
    // The field is already closed, for example by Enter before the field loses the focus.
    if (typed === null) return;
    setTyped(null);
    setLast(typed);
    if (isSaved && typed.trim() !== opened) onSave?.(typed.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    end(event.key === 'Enter');
    requestAnimationFrame(() => button.current?.focus());
  };
  const open = (): void => {
    setOpened(value);
    setTyped(error ? last : value);
  };
  const shown = value === '' ? <span className={classes.soft}>{say('none')}</span> : <bdi>{value}</bdi>;
  return (
    <Fact label={label}>
      {onSave === null ? (
        <span>{shown}</span>
      ) : typed === null ? (
        <span className={classes.editable}>
          <UnstyledButton ref={button} className={classes.value} onClick={open}>
            <VisuallyHidden>{say('change', { name: label })}: </VisuallyHidden>
            {shown}
          </UnstyledButton>
          {error && (
            <span role="alert" className={classes.error}>
              {error}
            </span>
          )}
        </span>
      ) : (
        <TextInput
          size="xs"
          w="100%"
          dir="auto"
          aria-label={label}
          autoFocus
          maxLength={maxLength}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={() => end(true)}
        />
      )}
    </Fact>
  );
}
