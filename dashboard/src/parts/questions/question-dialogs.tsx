import { onceOpened } from '../once-opened.tsx';

const isOpened = ({ item }: { item: unknown }): boolean => item !== null;

/** The dialogs load when they are needed, because few visits of Home and of a conversation open one. */
export const ChoosePassageDialog = onceOpened(
  async () => (await import('./choose-passage-dialog.tsx')).ChoosePassageDialog,
  isOpened,
  { item: null },
);
export const WriteAnswerDialog = onceOpened(
  async () => (await import('./write-answer-dialog.tsx')).WriteAnswerDialog,
  isOpened,
  { item: null },
);
