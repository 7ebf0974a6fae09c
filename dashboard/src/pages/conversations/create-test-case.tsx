import { onceOpened } from '../../parts/once-opened.tsx';
import type { TestCaseProps } from './test-case-dialog.tsx';

/** The button “This should have been …” creates a test of the agent from its message. */
export const CreateTestCase = onceOpened(
  async () => (await import('./test-case-dialog.tsx')).TestCaseDialog,
  ({ opened }: TestCaseProps) => opened,
  { opened: false },
);
