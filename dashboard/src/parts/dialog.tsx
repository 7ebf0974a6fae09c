import { Modal, type ModalProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';

/**
 * All dialogs use this component. While a button of the dialog waits for a response, the dialog stays open. If the
 * dialog closed, its failure would not be shown, and its success would close the dialog that the user opened next.
 */
export function Dialog({ onClose, ...rest }: ModalProps): ReactNode {
  const dialog = useRef<HTMLDivElement>(null);
  return (
    <Modal ref={dialog} onClose={() => dialog.current?.querySelector('button[data-loading]') || onClose()} {...rest} />
  );
}
