import { onceOpened } from '../once-opened.tsx';

/** The dialogs of API keys. Each dialog is loaded when it is first opened. */
export const CreateKeyDialog = onceOpened(
  async () => (await import('./create/create-key-dialog.tsx')).CreateKeyDialog,
  ({ opened }) => opened,
  { opened: false },
);
export const RevokeDialog = onceOpened(
  async () => (await import('./revoke-dialog.tsx')).RevokeDialog,
  ({ item }) => item !== null,
  { item: null },
);
export const RotateDialog = onceOpened(
  async () => (await import('./rotate-dialog.tsx')).RotateDialog,
  ({ item }) => item !== null,
  { item: null },
);
export const NetworksDialog = onceOpened(
  async () => (await import('./networks-dialog.tsx')).NetworksDialog,
  ({ item }) => item !== null,
  { item: null },
);
export const LimitsDialog = onceOpened(
  async () => (await import('./limits-dialog.tsx')).LimitsDialog,
  ({ item }) => item !== null,
  { item: null },
);
export const RenameDialog = onceOpened(
  async () => (await import('./rename-dialog.tsx')).RenameDialog,
  ({ item }) => item !== null,
  { item: null },
);
