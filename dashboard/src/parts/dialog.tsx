import { Modal, type ModalProps } from '@mantine/core';
import { useRef, type ReactNode } from 'react';

/**
 * Every dialog. While one of its buttons waits for a response, the dialog stays open. If it closed, a failure would not
 * be shown, and the success would close the dialog that the user opened next.
 */
export function Dialog({ onClose, ...rest }: ModalProps): ReactNode {
  const dialog = useRef<HTMLDivElement>(null);
  return (
    <Modal ref={dialog} onClose={() => dialog.current?.querySelector('button[data-loading]') || onClose()} {...rest} />
  );
}
