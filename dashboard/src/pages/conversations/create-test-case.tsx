import { useState, type ReactNode } from 'react';
import { onceOpened } from '../../parts/once-opened.tsx';
import type { TestCaseProps } from './test-case-dialog.tsx';

const TestCaseDialog = onceOpened(
  async () => (await import('./test-case-dialog.tsx')).TestCaseDialog,
  ({ opened }: TestCaseProps) => opened,
  { opened: false },
);

/** The button “This should have been …” creates a test of the agent from its message. */
export function CreateTestCase(props: TestCaseProps): ReactNode {
  // The dialog stays mounted after its first opening, because it returns the focus when it closes.
  const [wanted, setWanted] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  return wanted && <TestCaseDialog {...props} />;
}
