import { textIn, type RawSearch } from '../../../list/read-search.ts';

/** `created`: the ID of the new key, for a reload while its value is shown. */
export type FirstStepsSearch = { created?: string };
export const readFirstStepsSearch = (raw: RawSearch): FirstStepsSearch => ({ created: textIn(raw, 'created') });
