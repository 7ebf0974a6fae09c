/** Languages that are offered where people write or try texts; any other that is met is shown as well. */
export const OFFERED_LANGUAGES = 'en ar hi ur bn ta te ml fa he tr fr es pt de it nl id ms sw ru zh ja ko vi th'.split(
  ' ',
);
