/** The languages that fields offer for texts and tests. A field also shows other languages that are already used. */
export const OFFERED_LANGUAGES = 'en ar hi ur bn ta te ml fa he tr fr es pt de it nl id ms sw ru zh ja ko vi th'.split(
  ' ',
);
