import { textIn, type RawSearch } from '../../../list/read-search.ts';

export type InstallationSearch = { text?: string; cursor?: string };
export const readInstallationSearch = (raw: RawSearch): InstallationSearch => ({
  text: textIn(raw, 'text'),
  cursor: textIn(raw, 'cursor'),
});
