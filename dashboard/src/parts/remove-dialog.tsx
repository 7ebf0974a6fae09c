import type { ReactNode } from 'react';
import type { Problem } from '../api/client.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { notifyDone } from './notify.tsx';

type Props<Input> = {
  /** The input of `remove`. Null: the dialog is closed. */
  input: Input | null;
  remove: {
    mutate(input: Input, options: { onSuccess(): void }): void;
    isPending: boolean;
    error: Problem | null;
  };
  title: string;
  act: string;
  /** The notice that is shown after the removal. */
  removed: string;
  children: ReactNode;
  onClose: () => void;
  onRemoved?: () => void;
};

/** Asks for confirmation, removes a record, and shows a notice. */
export function RemoveDialog<Input>(props: Props<Input>): ReactNode {
  const { input, remove, title, act, removed, children, onClose, onRemoved } = props;
  const onSuccess = (): void => {
    onClose();
    onRemoved?.();
    notifyDone(removed);
  };
  return (
    <ConfirmDialog
      opened={input !== null}
      onClose={onClose}
      title={title}
      act={act}
      busy={remove.isPending}
      problem={remove.error}
      onAct={() => input !== null && remove.mutate(input, { onSuccess })}
    >
      {children}
    </ConfirmDialog>
  );
}
