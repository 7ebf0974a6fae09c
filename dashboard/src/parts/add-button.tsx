import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Props = {
  onClick: () => void;
  /** True: another button of the page is the main one. */
  secondary?: boolean;
  children: ReactNode;
};

export function AddButton({ onClick, secondary = false, children }: Props): ReactNode {
  return (
    <Button variant={secondary ? 'default' : 'filled'} leftSection={<IconPlus size={16} />} onClick={onClick}>
      {children}
    </Button>
  );
}
