/** The call must wait for the next batch, because another call of this batch has other data about the same person. */
export const LATER = 'later';
