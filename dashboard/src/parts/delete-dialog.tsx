import { Text, TextInput } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { common } from '../language/common.ts';
import { useTexts } from '../language/texts.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { useFocus } from './use-focus.ts';

type Props = {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  act: string;
  onAct: () => void;
  busy: boolean;
  problem: unknown;
  /** The text that the user must type to confirm a permanent deletion. */
  name: string;
  /** The prompt for the text, if the text is not a name. */
  ask?: string;
};

export function DeleteDialog({ name, ask, children, onAct, onClose, ...rest }: Props): ReactNode {
  const say = useTexts(common);
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const focus = useFocus();
  const close = (): void => {
    setTyped('');
    setWrong(false);
    onClose();
  };
  return (
    <ConfirmDialog
      {...rest}
      onClose={close}
      onAct={() => {
        const mismatch = typed.trim() !== name.trim();
        setWrong(mismatch);
        if (mismatch) focus(() => field.current);
        else onAct();
      }}
    >
      <Text size="sm" component="div">
        {children}
      </Text>
      <TextInput
        ref={field}
        label={ask ?? say('type_to_delete')}
        placeholder={name}
        value={typed}
        autoComplete="off"
        error={wrong && say('type_mismatch')}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setWrong(false);
        }}
      />
    </ConfirmDialog>
  );
}
